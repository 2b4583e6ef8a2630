pub(super) mod shortest_path;
pub(super) mod tsp;
