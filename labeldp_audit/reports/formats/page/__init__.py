"""The report as one page that needs nothing beside itself: no script, no font, no picture, no network."""
