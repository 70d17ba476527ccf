// The C tests in Node: those that ask for environment variables see the machine's.
Module['preRun'] = () => {
  if (typeof ENV !== 'undefined') Object.assign(ENV, process.env);
};
