"""A policy: its lines, what becomes of them, and what their author may not have meant."""
