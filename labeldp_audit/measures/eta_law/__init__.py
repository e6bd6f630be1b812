"""The law of eta among people, estimated."""
