"""The exits: what other compilers take, one file a way out, each made from a Reduction."""
