pub(super) mod bin_packing;
pub(super) mod graph_coloring;
pub(super) mod job_shop;
pub(super) mod knapsack;
pub(super) mod max_flow;
pub(super) mod shortest_path;
pub(super) mod topological_order;
pub(super) mod tsp;
