use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Parser, Subcommand};
use reasonenv::families;
use reasonenv::games;
use reasonenv::games::connect_four::position::Position;
use reasonenv::task::batch::Batch;
use reasonenv::task::source::Source;
use reasonenv::task::split::Split;
use reasonenv_dev::{book, generate, item, root, scaffold};
use serde_json::{Map, Value};

/// Commands for those who work on reasonenv.
#[derive(Parser)]
#[command(name = "cargo dev", bin_name = "cargo dev")]
struct Cli {
    #[command(subcommand)]
    command: Dev,
}

#[derive(Subcommand)]
enum Dev {
    /// Write every file generated from the registry: goldens, digests, indexes, ids, vectors.
    Generate {
        /// Write nothing; print what is out of date and fail if anything is.
        #[arg(long)]
        check: bool,
        /// Let tasks change without a new version; only while no release has them.
        #[arg(long, conflicts_with = "check")]
        unreleased: bool,
        /// Families and games that changed; the tasks of others are left as they are. All by default.
        #[arg(conflicts_with = "check")]
        names: Vec<String>,
    },
    /// Start a new family from a copy of a working one, and register it.
    New {
        /// Family to copy, by the form of the answer: number, constraint, grid, plan or derived.
        #[arg(long, default_value = "number")]
        kind: String,
        /// Crate for a new domain, such as `puzzles`.
        #[arg(long)]
        group: Option<String>,
        /// Domain, such as `logic`.
        domain: String,
        /// Permanent name, such as `river_crossing`.
        name: String,
    },
    /// Start a new game from a copy of a working one, and register it.
    NewGame {
        /// Permanent name, such as `nine_mens_morris`.
        name: String,
    },
    /// Compute the opening book of Connect Four; after an interruption, calling again resumes.
    Book {
        /// Discs played in the positions to solve; earlier ones follow from them.
        #[arg(long)]
        ply: u32,
        /// Path of the book; PATH.progress holds the scores so far.
        #[arg(long)]
        out: PathBuf,
        #[arg(long, default_value_t = 128)]
        table_mb: usize,
    },
    /// Print tasks as a reader sees them, with their solution steps.
    Show {
        family: String,
        #[arg(long, default_value_t = 0)]
        level: u8,
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Number of tasks.
        #[arg(short, default_value_t = 1)]
        n: u64,
        #[arg(long, default_value = "train")]
        split: String,
        /// Template by name; drawn for each task if left out.
        #[arg(long)]
        template: Option<String>,
    },
}

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Dev::Generate { check: true, .. } => check(),
        Dev::Generate { unreleased, names, .. } => write(unreleased, &names),
        Dev::New { kind, group, domain, name } => new(&kind, &domain, group.as_deref(), &name),
        Dev::NewGame { name } => new_game(&name),
        Dev::Book { ply, out, table_mb } => open_book(ply, &out, table_mb),
        Dev::Show { family, level, seed, n, split, template } => {
            show(&family, level, seed, n, &split, template)
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn check() -> Result<(), Failure> {
    let reports = generate::check(&root())?;
    if reports.is_empty() {
        return Ok(());
    }
    print(&format!("{}\n", reports.join("\n\n")))?;
    Err("generated files are out of date; run `make generate`".into())
}

fn write(unreleased: bool, names: &[String]) -> Result<(), Failure> {
    let unknown = |name: &&String| families::find(name).is_err() && games::find(name).is_err();
    if let Some(unknown) = names.iter().find(unknown) {
        return Err(format!("there is no family or game {unknown:?}").into());
    }
    let changed = generate::write(&root(), unreleased, names)?;
    match changed.as_slice() {
        [] => print("all generated files are up to date\n"),
        changed => print(&format!("{}\n", changed.join("\n"))),
    }
}

fn new(kind: &str, domain: &str, group: Option<&str>, name: &str) -> Result<(), Failure> {
    let touched = scaffold::new_family(&root(), kind, domain, group, name)?;
    format_core();
    let family = &touched[0];
    print(&format!(
        "wrote {}\n\n\
         It works, and it is the smallest family of its kind under another name. Next:\n  \
         1. Make it yours, top to bottom: {family}.\n  \
         2. make show F={name} LEVEL=2 prints its items as a solver reads them.\n  \
         3. make contracts F={name} holds it to the contracts of every family.\n  \
         4. make generate writes its golden file, digests and types.\n  \
         5. Read tests/golden/families/{name}.txt as prose before you commit it.\n",
        touched.join(", ")
    ))
}

fn new_game(name: &str) -> Result<(), Failure> {
    let touched = scaffold::new_game(&root(), name)?;
    format_core();
    let game = &touched[0];
    print(&format!(
        "wrote {}\n\n\
         It works, and it is the smallest game under another name. Next:\n  \
         1. Make it yours, top to bottom: {game}.\n  \
         2. cargo test --package reasonenv-games {name} runs the tests in the file.\n  \
         3. cargo test --test games ::{name} holds it to the contracts of every game.\n  \
         4. make generate writes its golden file, digests and types.\n  \
         5. Read tests/golden/games/{name}.txt as prose before you commit it.\n",
        touched.join(", ")
    ))
}

/// The copy's lines have other lengths than the model's. Without rustfmt, `make format` formats them later.
fn format_core() {
    drop(Command::new("cargo").args(["fmt", "--all"]).current_dir(root()).status());
}

fn show(
    family: &str,
    level: u8,
    seed: u64,
    n: u64,
    split: &str,
    template: Option<String>,
) -> Result<(), Failure> {
    let style: Map<String, Value> =
        template.map(|name| ("template".to_owned(), name.into())).into_iter().collect();
    let split = Split::find(split)?;
    let source = Arc::new(Source::new(families::find(family)?, level, &Map::new(), split, seed, &style)?);
    let indices: Vec<u64> = (0..n).collect();
    let batch = Batch::generate(&source, &indices, &AtomicBool::new(false))?;
    let items: Vec<String> = batch.tasks.iter().map(item::show).collect();
    print(&items.join("\n====\n\n"))
}

/// Print to standard output; a reader that closes the pipe early is not an error.
fn print(text: &str) -> Result<(), Failure> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

fn open_book(ply: u32, out: &Path, table_mb: usize) -> Result<(), Failure> {
    let tell = |done: usize, all: usize| {
        if done.is_multiple_of(100) || done == all {
            eprintln!("{done} of {all} positions");
        }
    };
    let book = book::compute::<7, 6>(ply, out, table_mb << 20, tell)?;
    let values = book.values(&Position::new()).expect("the book holds the empty board");
    println!("{}: on the empty board the columns are worth {values:?}", out.display());
    Ok(())
}
