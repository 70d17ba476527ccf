"""Where frames are shown: films in files, and windows."""
