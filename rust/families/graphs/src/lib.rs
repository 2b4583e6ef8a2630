//! Task families: graphs.

use kit::task::erased::AnyFamily;

mod bin_packing;
mod graph_coloring;
mod job_shop;
mod knapsack;
mod max_flow;
mod set_cover;
mod shortest_path;
mod subsets;
mod topological_order;
mod tsp;
mod vertex_subset;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &bin_packing::BinPacking,
    &graph_coloring::GraphColoring,
    &job_shop::JobShop,
    &knapsack::Knapsack,
    &max_flow::MaxFlow,
    &set_cover::SetCover,
    &shortest_path::ShortestPath,
    &topological_order::TopologicalOrder,
    &tsp::Tsp,
    &vertex_subset::VertexSubset,
];
