"""Bridges to frameworks that Gymnasium alone does not reach; each module needs an optional extra."""
