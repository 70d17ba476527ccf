"""The console as all layers play it: its methods, its observations and its objects."""
