"""What a sample entitles us to say. One function per bound, named after its theorem; arrays in, arrays out."""
