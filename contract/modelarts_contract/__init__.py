"""Contract testing with the documents of ModelArts: recorded exchanges of any client are checked against them."""
