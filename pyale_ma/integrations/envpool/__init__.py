"""EnvPool's interface: pools (`pool`), and those with results of Gymnasium (`gymnasium_pool`)."""
