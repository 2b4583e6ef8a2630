//! Chess endgames: king and queen, rook or pawn against king, from any position, or mate in so many moves.

use std::sync::OnceLock;

use game::prelude::*;

mod men;
mod table;

use men::{GONE, Kind, Men, around, squares};

pub struct ChessEndgames;

/// White's piece beside the king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Ending {
    /// A queen.
    #[serde(rename = "KQK")]
    Kqk,
    /// A rook.
    #[serde(rename = "KRK")]
    Krk,
    /// A pawn, which becomes a queen or a rook on the last rank.
    #[serde(rename = "KPK")]
    Kpk,
}

impl Ending {
    fn kind(self) -> Kind {
        match self {
            Self::Kqk => Kind::Queen,
            Self::Krk => Kind::Rook,
            Self::Kpk => Kind::Pawn,
        }
    }
}

params! {
    pub struct ChessEndgamesParams {
        /// White's king and piece, and Black's king.
        ending: Ending [structure],
        /// Moves in which White, who begins, can mate and must: at most 10 for KQK, 16 for KRK and 28 for KPK. 0 for any
        /// position, and 50 moves of each player.
        mate_in: u32 [0..=28, structure],
        /// Position to start from, as the first two fields of FEN: "8/8/8/4k3/8/8/8/KQ6 w". If empty, it is drawn.
        fen: String [structure],
    }
    default (Ending::Kqk, 0, String::new())
    check Self::consistent;
}

impl ChessEndgamesParams {
    fn consistent(&self) -> Result<(), String> {
        let (kind, mate_in) = (self.ending.kind(), self.mate_in);
        let most = table::longest(kind);
        if mate_in > most {
            return Err(format!(
                "`mate_in` is {mate_in}, but a king and {} mate in {most} at most",
                kind.name()
            ));
        }
        if self.fen.is_empty() {
            return Ok(());
        }
        let men = read_fen(&self.fen, kind).map_err(|why| format!("`fen` must be a position, but {why}"))?;
        let mates = table::plies(men).is_some_and(|plies| plies == 2 * mate_in as i32 - 1);
        if mate_in > 0 && !mates {
            return Err(format!("`mate_in` is {mate_in}, but the position of `fen` has no such mate"));
        }
        Ok(())
    }
}

/// Reads the men and the player to move.
fn read_fen(fen: &str, kind: Kind) -> Result<Men, String> {
    let mut fields = fen.split_whitespace();
    let (board, mover) = (fields.next().unwrap_or_default(), fields.next().unwrap_or("w"));
    let mover = match mover {
        "w" => 0,
        "b" => 1,
        other => return Err(format!("`{other}` is not w or b")),
    };
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != 8 {
        return Err(format!("it has {} ranks instead of 8", ranks.len()));
    }
    let mut at = [GONE; 3];
    let letters = ['K', kind.letter(), 'k'];
    for (row, rank) in ranks.into_iter().enumerate() {
        let mut file = 0;
        for letter in rank.chars() {
            if let Some(empty) = letter.to_digit(10) {
                file += empty;
                continue;
            }
            let man = letters.iter().position(|other| *other == letter);
            let man = man.ok_or_else(|| format!("`{letter}` is not one of {letters:?}"))?;
            if at[man] != GONE || file > 7 {
                return Err(format!("`{letter}` is there twice or off the board"));
            }
            at[man] = ((7 - row) as u32 * 8 + file) as u8;
            file += 1;
        }
        if file != 8 {
            return Err(format!("rank {} has {file} squares", 8 - row));
        }
    }
    let men = Men { at, kind, mover };
    if at.contains(&GONE) {
        return Err(format!("it needs a king, a {} and the other king, {letters:?}", kind.name()));
    }
    if !men.is_possible() {
        return Err(
            "the kings touch, Black is in check on White's turn, or a pawn is on its first or last rank"
                .into(),
        );
    }
    if !men.can_move() {
        return Err("the game is over in it".into());
    }
    Ok(men)
}

static ABOUT: About = About {
    summary: "Mate with a queen, a rook or a pawn, from a random position, a FEN, or a mate in a given number of moves.",
    players: ["White", "Black"],
    variants: &[
        "{}",
        r#"{"ending": "KRK"}"#,
        r#"{"ending": "KPK"}"#,
        r#"{"ending": "KQK", "mate_in": 2}"#,
        r#"{"ending": "KRK", "mate_in": 3}"#,
        r#"{"ending": "KPK", "fen": "8/8/8/4k3/8/8/4P3/4K3 w"}"#,
    ],
    max_plies: PLIES,
    ..About::new("chess_endgames", &["First version."])
};

/// Fifty moves of each player.
const PLIES: u32 = 100;

impl GameFamily for ChessEndgames {
    type Params = ChessEndgamesParams;
    type Game = Endgame;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &ChessEndgamesParams) -> Endgame {
        let kind = params.ending.kind();
        let kinds = match kind {
            Kind::Pawn => vec![Kind::Pawn, Kind::Queen, Kind::Rook],
            kind => vec![kind],
        };
        let fixed = read_fen(&params.fen, kind).ok();
        Endgame { kind, kinds, fixed, mate_in: params.mate_in, starts: OnceLock::new() }
    }
}

#[derive(Debug)]
pub struct Endgame {
    kind: Kind,
    /// Kinds that the piece may have or become; moves of the king come first, then 64 of each.
    kinds: Vec<Kind>,
    fixed: Option<Men>,
    mate_in: u32,
    /// Positions that mate in so many moves.
    starts: OnceLock<Vec<Men>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    men: Men,
    plies: u8,
}

fn square(name: u32) -> String {
    format!("{}{}", char::from(b'a' + (name % 8) as u8), name / 8 + 1)
}

impl Endgame {
    /// The square of an action, and the piece that goes there, unless it is the king.
    fn read(&self, action: Action) -> (u32, Option<Kind>) {
        let kind = (action / 64).checked_sub(1).map(|kind| self.kinds[kind as usize]);
        (action % 64, kind)
    }

    /// A pawn's action on the first rank is to become a rook on the last.
    fn piece_after(&self, men: Men, action: Action) -> Men {
        match self.read(action) {
            (to, None) => men.after_king(to as u8),
            (to @ 56.., Some(Kind::Pawn)) => men.after_piece(to as u8, Kind::Queen),
            (to @ ..8, Some(Kind::Pawn)) => men.after_piece(to as u8 + 56, Kind::Rook),
            (to, Some(kind)) => men.after_piece(to as u8, kind),
        }
    }

    fn possible(&self) -> impl Iterator<Item = Men> {
        let kind = self.kind;
        (0..64_u32.pow(3)).map(move |at| Men {
            at: [at, at >> 6, at >> 12].map(|at| (at & 63) as u8),
            kind,
            mover: 0,
        })
    }

    fn starts(&self) -> &[Men] {
        self.starts.get_or_init(|| {
            let plies = (self.mate_in > 0).then(|| 2 * self.mate_in as i32 - 1);
            let fits = |men: &Men| {
                men.is_possible()
                    && men.can_move()
                    && plies.is_none_or(|plies| table::plies(*men) == Some(plies))
            };
            self.possible().filter(fits).collect()
        })
    }

    fn is_over(&self, state: Position) -> bool {
        u32::from(state.plies) == self.max_plies() || state.men.at[1] == GONE || !state.men.can_move()
    }
}

impl Rules for Endgame {
    type State = Position;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        64 * (1 + self.kinds.len() as u32)
    }

    fn max_plies(&self) -> u32 {
        if self.mate_in == 0 { PLIES } else { 2 * self.mate_in - 1 }
    }

    fn turn(&self, state: &Position) -> Turn {
        if self.is_over(*state) { Turn::Over } else { Turn::Player(state.men.mover) }
    }

    fn legal(&self, state: &Position) -> Actions {
        let mut legal = Actions::NONE;
        if self.is_over(*state) {
            return legal;
        }
        let (around, piece) = state.men.targets();
        squares(around).for_each(|to| legal.insert(to.into()));
        let nth = self.kinds.iter().position(|kind| *kind == state.men.kind).expect("it is one of them");
        for to in squares(piece) {
            legal.insert(64 * (nth as u32 + 1) + u32::from(to));
            if state.men.kind == Kind::Pawn && to >= 56 {
                legal.insert(64 + u32::from(to) - 56);
            }
        }
        legal
    }

    fn apply(&self, state: &mut Position, action: Action) {
        state.men = self.piece_after(state.men, action);
        state.plies += 1;
    }

    fn returns(&self, state: &Position) -> [f32; 2] {
        let mate = state.men.mover == 1 && !state.men.can_move() && state.men.is_check();
        if mate { [1.0, -1.0] } else { [0.0, 0.0] }
    }

    fn show(&self, state: &Position, _player: u8) -> String {
        let Men { at, kind, mover } = state.men;
        let letters = ['K', kind.letter(), 'k'];
        let mut text = String::new();
        for rank in (0..8).rev() {
            text += &(rank + 1).to_string();
            for file in 0..8 {
                let man = at.iter().position(|&square| square == rank * 8 + file);
                text.extend([' ', man.map_or('.', |man| letters[man])]);
            }
            text.push('\n');
        }
        let left = self.max_plies() - u32::from(state.plies);
        format!(
            "{text}  a b c d e f g h\n\nTo move: {}\nTurns left: {left}",
            ABOUT.players[usize::from(mover)]
        )
    }

    fn draw(&self, state: &Position, _player: u8) -> Picture {
        let mut picture = Picture::filled(8, 8, Ink::Paper);
        for (rank, file) in (0..8).flat_map(|rank| (0..8).map(move |file| (rank, file))) {
            if (rank + file) % 2 == 0 {
                picture.cell(7 - rank, file, Ink::Brown);
            }
        }
        let Men { at, kind, .. } = state.men;
        for (letter, square, ink) in
            [('K', at[0], Ink::White), (kind.letter(), at[1], Ink::White), ('K', at[2], Ink::Black)]
        {
            if square != GONE {
                let (row, column) = (7 - u32::from(square) / 8, u32::from(square) % 8);
                picture.ring(row, column, Ink::Black, ink);
                picture.sign(row, column, letter, ink.contrast());
            }
        }
        // The player to move has a bar on its side.
        let row = if state.men.mover == 0 { 8 * CELL - 1 } else { 0 };
        picture.rectangle((0, row), (8 * CELL, 1), Ink::Red);
        picture
    }

    fn name_action(&self, action: Action) -> String {
        match self.read(action) {
            (to, None) => format!("K{}", square(to)),
            (to @ ..8, Some(Kind::Pawn)) => format!("{}=R", square(to + 56)),
            (to @ 56.., Some(Kind::Pawn)) => format!("{}=Q", square(to)),
            (to, Some(Kind::Pawn)) => square(to),
            (to, Some(kind)) => format!("{}{}", kind.letter(), square(to)),
        }
    }

    /// Marks of a capture, a check and a mate may be there or not.
    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let letters = self.kinds.iter().map(|kind| kind.letter());
        let shown: String =
            text.chars().take(12).filter(|c| !c.is_whitespace() && !"x+#".contains(*c)).collect();
        let said = shown.to_ascii_uppercase();
        let example = if self.kind == Kind::Pawn { "Ke4, e4 of a pawn, e8=Q or Qd5" } else { "Ke4 or Qd5" };
        let none = || {
            let all: String = letters.clone().filter(|letter| *letter != 'P').collect();
            Misread::not_a_move(
                text,
                format_args!("a move is a letter (K{all}) and a square, such as {example}"),
            )
        };
        if text.trim().len() > 12 {
            return Err(none());
        }
        let place = |said: &str| match said.as_bytes() {
            [b'A'..=b'Z', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
            _ => false,
        };
        let on_board = |said: &str| matches!(said.as_bytes(), [b'A'..=b'H', b'1'..=b'8']);
        let square = said.split('=').next().unwrap_or_default();
        let square = if place(square) { square } else { square.get(1..).unwrap_or_default() };
        if place(square) && !on_board(square) {
            return Err(Misread::off_board(text, "its squares are a1 to h8"));
        }
        if !place(square) {
            return Err(none());
        }
        let (piece, rest) = match said.chars().next() {
            Some('K') => (0, &said[1..]),
            Some(letter) if said.len() == 3 && letters.clone().any(|other| other == letter) => (
                1 + letters.clone().position(|other| other == letter).expect("it is there") as u32,
                &said[1..],
            ),
            Some('A'..='Z') if self.kind == Kind::Pawn => (1, said.as_str()),
            _ => return Err(none()),
        };
        let (place, becomes) = rest.split_once('=').unwrap_or((rest, ""));
        let &[file, rank] = place.as_bytes() else { return Err(none()) };
        let to = u32::from(rank - b'1') * 8 + u32::from(file - b'A');
        let pawn = self.kind == Kind::Pawn && piece == 1;
        match (pawn, becomes, to) {
            (false, "", _) | (true, "", 8..56) => Ok(64 * piece + to),
            (true, "Q", 56..) => Ok(64 + to),
            (true, "R", 56..) => Ok(64 + to - 56),
            _ => Err(none()),
        }
    }

    fn why_illegal(&self, state: &Position, action: Action) -> String {
        let (to, kind) = self.read(action);
        let name = square(to);
        let Men { at, kind: own, mover } = state.men;
        let Some(kind) = kind else {
            let from = at[usize::from(2 * mover)];
            return match () {
                () if around(from) >> to & 1 == 0 => format!("{name} is not next to the king"),
                () if mover == 0 && u32::from(at[1]) == to => {
                    format!("{name} is taken by the player's own piece")
                }
                () => format!("the king would be in check on {name}"),
            };
        };
        match () {
            () if mover == 1 => "Black has a king only".to_owned(),
            () if kind != own => format!("White has no {}", kind.name()),
            () if at.iter().any(|&square| u32::from(square) == to) => format!("{name} is taken"),
            () => format!("the {} on {} cannot go there", own.name(), square(at[1].into())),
        }
    }

    fn shape(&self) -> Vec<usize> {
        vec![4 + self.kinds.len(), 8, 8]
    }

    /// The player's king, the other king, White's piece by kind, whether the player is White, and the plies left.
    fn observe(&self, state: &Position, player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let Men { at, kind, .. } = state.men;
        let plane = |square: u8| usize::from(56 - square / 8 * 8 + square % 8);
        let kinds = self.kinds.len();
        out[plane(at[usize::from(2 * player)])] = 1.0;
        out[64 + plane(at[usize::from(2 - 2 * player)])] = 1.0;
        if at[1] != GONE {
            let nth = self.kinds.iter().position(|other| *other == kind).expect("it is one of them");
            out[128 + 64 * nth + plane(at[1])] = 1.0;
        }
        out[128 + 64 * kinds..192 + 64 * kinds].fill(f32::from(1 - player));
        let left = self.max_plies() - u32::from(state.plies);
        out[192 + 64 * kinds..].fill(left as f32 / self.max_plies() as f32);
    }
}

impl Game for Endgame {
    fn plies_left(&self, state: &Position) -> u32 {
        if self.is_over(*state) { 0 } else { self.max_plies() - u32::from(state.plies) }
    }

    fn start(&self, rng: &mut Rng) -> Position {
        let men = self.fixed.unwrap_or_else(|| *rng.pick(self.starts()));
        Position { men, plies: 0 }
    }

    fn role_text(&self, player: u8) -> String {
        let piece = match self.kind {
            Kind::Pawn => "P, later Q or R".to_owned(),
            kind => kind.letter().to_string(),
        };
        match player {
            0 => format!("You are White and have K and {piece}, the opponent is Black and has k."),
            _ => format!("You are Black and have k, the opponent is White and has K and {piece}."),
        }
    }

    fn rules(&self) -> String {
        let piece = match self.kind {
            Kind::Queen => "The queen goes any number of free squares in a row, a column or a diagonal.".to_owned(),
            Kind::Rook => "The rook goes any number of free squares in a row or a column.".to_owned(),
            Kind::Pawn => "The pawn goes one square up, or two from row 2, if they are free; it takes nothing here, \
                           but attacks the two squares diagonally above it. On row 8 it becomes a queen or a rook, \
                           whichever the player names. A queen goes any number of free squares in a row, a column or a \
                           diagonal, a rook in a row or a column."
                .to_owned(),
        };
        let (name, plies) = (self.kind.name(), self.max_plies());
        let form = match self.kind {
            Kind::Pawn => "for a pawn the square alone, such as e4, or e8=Q and e8=R on row 8",
            _ => "for the other piece its letter and the square, such as",
        };
        let example = match self.kind {
            Kind::Pawn => String::new(),
            kind => format!(" {}d5", kind.letter()),
        };
        let start = match (self.fixed, self.mate_in) {
            (Some(men), _) => {
                format!("The game starts from this position, in the notation of chess: {}.", men.fen())
            }
            (None, 0) => "The game starts from a position drawn at random, with White to move.".to_owned(),
            (None, n) => {
                format!("The game starts from a position in which White, who moves first, can mate in {n}.")
            }
        };
        format!(
            "This is a chess ending on a board of 8 columns, a to h, and 8 rows; row 1 is at the bottom. White has a \
             king (K) and a {name} ({}), Black a king (k). The players take turns; the text says whose turn it is. A \
             king goes to any square next to it, in any direction, but never to one that an opposing piece attacks. \
             {piece} Black's king may take White's piece if White's king does not protect it. Black's king is in check \
             if it is attacked, and must then leave the check. If it is in check and has no move, that is mate, and \
             White wins. If a player has no move but is not in check, that is stalemate, a draw. It is also a draw if \
             White's piece is taken, and after {plies} turns, counting both players', without mate. {start} A move is a piece \
             and a square: for either king K and the square, such as Ke4, {form}{example}.",
            self.kind.letter()
        )
    }

    fn key(&self, state: &Position, _player: u8) -> u128 {
        let Men { at, kind, mover } = state.men;
        [at[0], at[1], at[2], kind as u8, mover, state.plies]
            .into_iter()
            .fold(0, |key, part| key << 8 | u128::from(part))
    }

    fn values(&self, state: &Position, _budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        let left = self.plies_left(state);
        let value = |action| {
            let next = self.piece_after(state.men, action);
            let plies = if next.at[1] == GONE { None } else { table::plies(next) };
            let distance = plies.map(|plies| plies.unsigned_abs() + 1).filter(|distance| *distance <= left);
            // Only White wins.
            let outcome = distance.map_or(0, |_| if state.men.mover == 0 { 1 } else { -1 });
            (action, Value::proved(outcome, distance, outcome.into()))
        };
        Ok(self.legal(state).iter().map(value).collect())
    }

    /// The tables take a third of a second once.
    fn solves_instantly(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(ending: Ending, mate_in: u32, fen: &str) -> Endgame {
        let params = ChessEndgamesParams::new(ending, mate_in, fen.to_owned());
        params.consistent().unwrap();
        ChessEndgames.game(&params)
    }

    fn start(game: &Endgame) -> Position {
        game.start(&mut kit::rng::Key::new("tests", 1, "chess", 0, "").stream(0))
    }

    #[test]
    fn a_known_mate_is_found() {
        let game = game(Ending::Kqk, 1, "7k/8/6K1/8/8/8/Q7/8 w");
        let state = start(&game);
        let won: Vec<_> = game.values(&state, &mut Budget::unlimited()).unwrap();
        let won: Vec<_> =
            won.iter().filter(|(_, value)| value.outcome > 0).map(|(a, _)| game.name_action(*a)).collect();
        assert_eq!(won, ["Qa8"]);
        let mut next = state;
        game.apply(&mut next, game.read_action("qa8#").unwrap());
        assert_eq!((game.turn(&next), game.returns(&next)), (Turn::Over, [1.0, -1.0]));
    }

    #[test]
    fn stalemate_and_a_lost_piece_are_draws() {
        let game = game(Ending::Kqk, 0, "7k/8/8/6Q1/8/8/8/K7 w");
        let mut state = start(&game);
        game.apply(&mut state, game.read_action("Qg6").unwrap());
        assert_eq!((game.turn(&state), game.returns(&state)), (Turn::Over, [0.0, 0.0]));
        let other = self::game(Ending::Krk, 0, "8/8/8/8/8/8/1k6/R6K b");
        let mut state = start(&other);
        other.apply(&mut state, other.read_action("Kxa1").unwrap());
        assert_eq!((game.turn(&state), game.returns(&state)), (Turn::Over, [0.0, 0.0]));
    }

    #[test]
    fn reasons_say_what_is_wrong() {
        let game = game(Ending::Kpk, 0, "8/8/8/8/4k3/8/4P3/4K3 w");
        let mut state = start(&game);
        let why = |state: &Position, text| game.why_illegal(state, game.read_action(text).unwrap());
        assert_eq!(why(&state, "e5"), "the pawn on e2 cannot go there");
        assert_eq!(why(&state, "e4"), "e4 is taken");
        assert_eq!(why(&state, "Qd4"), "White has no queen");
        assert_eq!(why(&state, "Ke2"), "e2 is taken by the player's own piece");
        assert_eq!(why(&state, "Ke5"), "e5 is not next to the king");
        game.apply(&mut state, game.read_action("Kf2").unwrap());
        assert_eq!(why(&state, "Kd3"), "the king would be in check on d3");
        assert_eq!(why(&state, "e3"), "Black has a king only");
        for (text, said) in
            [("e8", "is not a move"), ("i9=Q", "is not on the board"), ("Nf3", "is not a move")]
        {
            assert!(game.read_action(text).unwrap_err().message.contains(said), "{text}");
        }
    }

    #[test]
    fn a_fen_that_cannot_be_is_refused() {
        for (fen, said) in [
            ("8/8 w", "it has 2 ranks"),
            ("8/8/8/4k3/8/8/8/K7 w", "it needs a king"),
            ("8/8/8/8/8/8/kQ6/K7 w", "the kings touch"),
            ("8/8/8/4k3/8/8/8/KR6 w", "`R` is not one of"),
            ("8/8/8/4k3/8/8/8/KQ6 x", "`x` is not w or b"),
            ("7k/5Q2/8/8/8/8/8/K7 b", "the game is over"),
        ] {
            let why = ChessEndgamesParams::new(Ending::Kqk, 0, fen.to_owned()).consistent().unwrap_err();
            assert!(why.contains(said), "{fen}: {why}");
        }
    }

    #[test]
    fn every_start_mates_in_exactly_so_many() {
        for (ending, most) in [(Ending::Kqk, 10), (Ending::Krk, 16), (Ending::Kpk, 28)] {
            for mate_in in [1, 3, most] {
                let game = game(ending, mate_in, "");
                let values = game.values(&start(&game), &mut Budget::unlimited()).unwrap();
                let fastest = values
                    .iter()
                    .filter(|(_, value)| value.outcome == 1)
                    .filter_map(|(_, v)| v.distance)
                    .min();
                assert_eq!(fastest, Some(2 * mate_in - 1), "{ending:?}");
            }
            assert!(ChessEndgamesParams::new(ending, most + 1, String::new()).consistent().is_err());
        }
    }
}
