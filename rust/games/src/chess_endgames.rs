//! Chess endgames: mates against a king alone or with a rook, from any position or in a given number of moves.

use std::sync::OnceLock;

use game::prelude::*;
use kit::words;

mod men;
mod table;

use men::{Ending, GONE, Kind, Man, Men, squares};

pub struct ChessEndgames;

params! {
    pub struct ChessEndgamesParams {
        /// White's men, then Black's: kings (K), queen (Q), rook (R), bishop (B), knight (N), pawn (P).
        ending: Ending [structure],
        /// Moves in which White, who begins, can mate and must: at most 10 for KQK, 16 for KRK, 28 for KPK, 35 for KQKR
        /// and 33 for KBNK. 0 for any position, and 50 moves of each player.
        mate_in: u32 [0..=35, structure],
        /// Position to start from, as the first two fields of FEN: "8/8/8/4k3/8/8/8/KQ6 w". If empty, it is drawn.
        fen: String [structure],
    }
    default (Ending::Kqk, 0, String::new())
    check Self::consistent;
}

impl ChessEndgamesParams {
    fn consistent(&self) -> Result<(), String> {
        let (mate_in, most) = (self.mate_in, self.ending.longest());
        if mate_in > most {
            return Err(format!("`mate_in` is {mate_in}, but White mates in {most} at most in this ending"));
        }
        if self.fen.is_empty() {
            return Ok(());
        }
        let men = Men::read(&self.fen, self.ending)
            .map_err(|why| format!("`fen` must be a position, but {why}"))?;
        if mate_in > 0 && (men.mover == 1 || table::plies(men) != Some(2 * mate_in as i32 - 1)) {
            return Err(format!("`mate_in` is {mate_in}, but the position of `fen` has no such mate"));
        }
        Ok(())
    }
}

static ABOUT: About = About {
    summary: "Mate with a queen, a rook, a pawn, a bishop and a knight, or a queen against a rook, from a random position, a FEN, or a mate in a given number of moves.",
    players: ["White", "Black"],
    variants: &[
        "{}",
        r#"{"ending": "KRK"}"#,
        r#"{"ending": "KPK"}"#,
        r#"{"ending": "KQK", "mate_in": 2}"#,
        r#"{"ending": "KRK", "mate_in": 3}"#,
        r#"{"ending": "KPK", "fen": "8/8/8/4k3/8/8/4P3/4K3 w"}"#,
        r#"{"ending": "KQKR"}"#,
        r#"{"ending": "KBNK"}"#,
        r#"{"ending": "KBNK", "mate_in": 4}"#,
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
        let fixed = Men::read(&params.fen, params.ending).ok();
        Endgame { ending: params.ending, fixed, mate_in: params.mate_in, starts: OnceLock::new() }
    }
}

#[derive(Debug)]
pub struct Endgame {
    ending: Ending,
    fixed: Option<Men>,
    mate_in: u32,
    starts: OnceLock<Vec<Men>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    men: Men,
    plies: u8,
}

fn square(at: u8) -> String {
    format!("{}{}", char::from(b'a' + at % 8), at / 8 + 1)
}

impl Endgame {
    /// The square of an action, the kind of the man that goes there, and what it becomes: kings come first, then 64 moves of
    /// each kind. A pawn's action on the first rank is to become a rook on the last.
    fn read(&self, action: Action) -> (u8, Kind, Kind) {
        let kind = (action / 64).checked_sub(1).map_or(Kind::King, |kind| self.ending.kinds()[kind as usize]);
        match (kind, (action % 64) as u8) {
            (Kind::Pawn, to @ ..8) => (to + 56, kind, Kind::Rook),
            (Kind::Pawn, to @ 56..) => (to, kind, Kind::Queen),
            (_, to) => (to, kind, kind),
        }
    }

    fn after(&self, men: Men, action: Action) -> Men {
        let (to, kind, becomes) = self.read(action);
        men.after(men.find(men.mover, kind).expect("the action is legal"), to, becomes)
    }

    fn nth(&self, kind: Kind) -> usize {
        self.ending.kinds().iter().position(|other| *other == kind).expect("it is one of them")
    }

    /// True for three men, whose positions can all be listed.
    fn has_few_men(&self) -> bool {
        self.ending.pieces().len() == 1
    }

    fn is_start(&self, men: Men) -> bool {
        let plies = 2 * self.mate_in as i32 - 1;
        men.is_possible() && men.can_move() && (self.mate_in == 0 || table::plies(men) == Some(plies))
    }

    fn numbered(&self, number: u32) -> Men {
        let mut men = self.ending.men(0);
        for (man, shift) in men.men.iter_mut().filter(|man| man.at != GONE).zip([0, 6, 12, 18]) {
            man.at = (number >> shift & 63) as u8;
        }
        men
    }

    /// Positions to draw from: of four men, those with White's king in a corner.
    fn starts(&self) -> &[Men] {
        self.starts.get_or_init(|| {
            let kings = if self.has_few_men() { u64::MAX } else { table::corner(self.ending) };
            (0..64_u32.pow(2 + self.ending.pieces().len() as u32))
                .filter(|number| kings >> (number & 63) & 1 == 1)
                .map(|number| self.numbered(number))
                .filter(|men| self.is_start(*men))
                .collect()
        })
    }

    fn is_over(&self, state: Position) -> bool {
        u32::from(state.plies) == self.max_plies() || state.men.is_dead() || !state.men.can_move()
    }

    /// Letters of a side's men.
    fn letters(&self, side: u8) -> String {
        let men = self.ending.men(0);
        let letters = men.present().filter(|man| man.side == side).map(Man::letter);
        words::and(letters) + if side == 0 && self.ending == Ending::Kpk { ", later Q or R" } else { "" }
    }
}

impl Rules for Endgame {
    type State = Position;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn actions(&self) -> u32 {
        64 * (1 + self.ending.kinds().len() as u32)
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
        for (man, targets) in state.men.men.into_iter().zip(state.men.targets()) {
            for to in squares(targets).map(u32::from) {
                let first = if man.kind == Kind::King { 0 } else { 64 * (self.nth(man.kind) as u32 + 1) };
                legal.insert(first + to);
                if man.kind == Kind::Pawn && to >= 56 {
                    legal.insert(first + to - 56);
                }
            }
        }
        legal
    }

    fn apply(&self, state: &mut Position, action: Action) {
        state.men = self.after(state.men, action);
        state.plies += 1;
    }

    fn returns(&self, state: &Position) -> [f32; 2] {
        let is_mate = !state.men.can_move() && state.men.is_check(state.men.mover);
        match (is_mate, state.men.mover) {
            (false, _) => [0.0, 0.0],
            (true, 0) => [-1.0, 1.0],
            (true, _) => [1.0, -1.0],
        }
    }

    fn show(&self, state: &Position, _player: u8) -> String {
        let mut text = String::new();
        for rank in (0..8).rev() {
            text += &(rank + 1).to_string();
            text.extend(state.men.rank(rank).chars().flat_map(|letter| [' ', letter]));
            text.push('\n');
        }
        let left = self.max_plies() - u32::from(state.plies);
        format!(
            "{text}  a b c d e f g h\n\nTo move: {}\nTurns left: {left}",
            ABOUT.players[usize::from(state.men.mover)]
        )
    }

    fn draw(&self, state: &Position, _player: u8) -> Picture {
        let mut picture = Picture::filled(8, 8, Ink::Paper);
        for (rank, file) in (0..8).flat_map(|rank| (0..8).map(move |file| (rank, file))) {
            if (rank + file) % 2 == 0 {
                picture.cell(7 - rank, file, Ink::Brown);
            }
        }
        for n in 0..8 {
            picture.title((1, n * CELL + 1), 2, (8 - n).to_string(), Ink::Black);
            picture.title((n * CELL + 7, 8 * CELL - 1), 2, char::from(b'A' + n as u8), Ink::Black);
        }
        for man in state.men.present() {
            let (row, column) = (7 - u32::from(man.at) / 8, u32::from(man.at) % 8);
            let ink = if man.side == 0 { Ink::White } else { Ink::Black };
            let rim = match man.side {
                // The king of the player to move.
                side if man.kind == Kind::King && side == state.men.mover => Ink::Red,
                0 => Ink::Grey,
                _ => Ink::Black,
            };
            picture.ring(row, column, rim, ink);
            picture.sign(row, column, man.kind.letter(), ink.contrast());
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        let (to, kind, becomes) = self.read(action);
        match (kind, becomes) {
            (Kind::Pawn, Kind::Pawn) => square(to),
            (Kind::Pawn, _) => format!("{}={}", square(to), becomes.letter()),
            _ => format!("{}{}", kind.letter(), square(to)),
        }
    }

    /// Marks of a capture, a check and a mate may be there or not.
    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let letters: String = self.ending.kinds().iter().map(|kind| kind.letter()).collect();
        let none = || {
            let (example, all) = match letters.as_str() {
                "PQR" => ("Ke4, e4 of a pawn, e8=Q or Qd5".to_owned(), "QR"),
                all => (format!("Ke4 or {}d5", &all[..1]), all),
            };
            Misread::not_a_move(
                text,
                format_args!("a move is a letter (K{all}) and a square, such as {example}"),
            )
        };
        if text.trim().len() > 12 {
            return Err(none());
        }
        let said = text.replace(|c: char| c.is_whitespace() || "x+#".contains(c), "").to_ascii_uppercase();
        let (place, becomes) = said.split_once('=').unwrap_or((&said, ""));
        let (piece, file, rank) = match place.as_bytes() {
            [piece @ b'A'..=b'Z', file @ b'A'..=b'Z', rank @ ..] => (*piece, *file, rank),
            [file @ b'A'..=b'Z', rank @ ..] => (b'P', *file, rank),
            _ => return Err(none()),
        };
        if rank.is_empty() || !rank.iter().all(u8::is_ascii_digit) {
            return Err(none());
        }
        let to = match (file, rank) {
            (b'A'..=b'H', [rank @ b'1'..=b'8']) => u32::from(rank - b'1') * 8 + u32::from(file - b'A'),
            _ => return Err(Misread::off_board(text, "its squares are a1 to h8")),
        };
        let nth = format!("K{letters}").find(char::from(piece)).ok_or_else(none)?;
        let first = 64 * nth as u32;
        match (piece, becomes, to) {
            (b'P', "R", 56..) => Ok(first + to - 56),
            (b'P', "", ..8 | 56..) => Err(none()),
            (b'P', "Q", 56..) | (_, "", _) => Ok(first + to),
            _ => Err(none()),
        }
    }

    fn why_illegal(&self, state: &Position, action: Action) -> String {
        let ((to, kind, _), men) = (self.read(action), state.men);
        let Some(man) = men.find(men.mover, kind).map(|man| men.men[man]) else {
            return format!("{} has no {}", ABOUT.players[usize::from(men.mover)], kind.name());
        };
        let name = square(to);
        match (kind, men.present().find(|other| other.at == to)) {
            (_, Some(other)) if other.side == men.mover => {
                format!("{name} is taken by the player's own piece")
            }
            (Kind::Pawn, Some(_)) => format!("{name} is taken"),
            _ if man.reaches(men.occupied()) >> to & 1 == 0 => match kind {
                Kind::King => format!("{name} is not next to the king"),
                _ => format!("the {} on {} cannot go there", kind.name(), square(man.at)),
            },
            (Kind::King, _) => format!("the king would be in check on {name}"),
            _ => "the king would be in check".to_owned(),
        }
    }

    fn shape(&self) -> Vec<usize> {
        vec![4 + self.ending.kinds().len(), 8, 8]
    }

    /// The player's king, the other king, the other men by kind, whether the player is White, and the plies left.
    fn observe(&self, state: &Position, player: u8, out: &mut [f32]) {
        out.fill(0.0);
        for man in state.men.present() {
            let plane = match man.kind {
                Kind::King => usize::from(man.side != player),
                kind => 2 + self.nth(kind),
            };
            out[64 * plane + usize::from(56 - man.at / 8 * 8 + man.at % 8)] = 1.0;
        }
        let [side, rest] = [2, 3].map(|plane| 64 * (plane + self.ending.kinds().len()));
        out[side..rest].fill(f32::from(1 - player));
        let left = self.max_plies() - u32::from(state.plies);
        out[rest..].fill(left as f32 / self.max_plies() as f32);
    }
}

impl Game for Endgame {
    fn plies_left(&self, state: &Position) -> u32 {
        if self.is_over(*state) { 0 } else { self.max_plies() - u32::from(state.plies) }
    }

    fn start(&self, rng: &mut Rng) -> Position {
        let men = match self.fixed {
            Some(men) => men,
            None if self.has_few_men() => *rng.pick(self.starts()),
            None if self.mate_in > 0 => rng.pick(self.starts()).mirrored(rng.below(8) as u8),
            // A list would hold 13 million positions.
            None => loop {
                let men = self.numbered(rng.below(1 << 24) as u32);
                if self.is_start(men) {
                    break men;
                }
            },
        };
        Position { men, plies: 0 }
    }

    fn role_text(&self, player: u8) -> String {
        let [own, other] = [player, 1 - player].map(|side| self.letters(side));
        let [name, opponent] = [player, 1 - player].map(|side| ABOUT.players[usize::from(side)]);
        format!("You are {name} and have {own}, the opponent is {opponent} and has {other}.")
    }

    fn rules(&self) -> String {
        let moves = match self.ending {
            Ending::Kqk => "The queen goes any number of free squares in a row, a column or a diagonal.",
            Ending::Krk => "The rook goes any number of free squares in a row or a column.",
            Ending::Kpk => {
                "The pawn goes one square up, or two from row 2, if they are free; it takes nothing here, but attacks the \
                 two squares diagonally above it. On row 8 it becomes a queen or a rook, whichever the player names. A \
                 queen goes any number of free squares in a row, a column or a diagonal, a rook in a row or a column."
            }
            Ending::Kqkr => {
                "The queen goes any number of free squares in a row, a column or a diagonal, the rook in a row or a column."
            }
            Ending::Kbnk => {
                "The bishop goes any number of free squares in a diagonal. The knight jumps two squares in a row or a \
                 column and one to the side, over other pieces too."
            }
        };
        let (checks, lost) = match self.ending {
            Ending::Kqkr => (
                "A piece that goes to the square of an opposing one takes it. A king that is attacked is in check: the \
                 player must then move the king, take the piece that attacks it, or put another one in between. No \
                 move may leave the player's own king in check. A player who is in check and has no move is mated, and \
                 the other one wins.",
                "only the kings are left",
            ),
            _ => (
                "Black's king may take a white piece that no other one protects. Black's king is in check if it is \
                 attacked, and must then leave the check. If it is in check and has no move, that is mate, and White \
                 wins.",
                "a white piece is taken",
            ),
        };
        let men = self.ending.men(0);
        let [white, black] = [0, 1].map(|side| {
            let men = men.present().filter(|man| man.side == side);
            words::and(men.map(|man| format!("a {} ({})", man.kind.name(), man.letter())))
        });
        let start = match (self.fixed, self.mate_in) {
            (Some(men), _) => {
                format!("The game starts from this position, in the notation of chess: {}.", men.fen())
            }
            (None, 0) => "The game starts from a position drawn at random, with White to move.".to_owned(),
            (None, n) => {
                format!("The game starts from a position in which White, who moves first, can mate in {n}.")
            }
        };
        let form = match self.ending.kinds()[0] {
            Kind::Pawn => "for a pawn the square alone, such as e4, or e8=Q and e8=R on row 8".to_owned(),
            kind => format!("for any other piece its letter and the square, such as {}d5", kind.letter()),
        };
        format!(
            "This is a chess ending on a board of 8 columns, a to h, and 8 rows; row 1 is at the bottom. White has \
             {white}, Black {black}. The players take turns; the text says whose turn it is. A king goes to any square \
             next to it, in any direction, but never to one that an opposing piece attacks. {moves} {checks} If a player \
             has no move but is not in check, that is stalemate, a draw. It is also a draw if {lost}, and after {} turns, \
             counting both players', without mate. {start} A move is a piece and a square: for either king K and the \
             square, such as Ke4, {form}.",
            self.max_plies()
        )
    }

    fn key(&self, state: &Position, _player: u8) -> u128 {
        let [white, piece, black, other] = state.men.men;
        [other.at ^ GONE, white.at, piece.at, black.at, piece.kind as u8, state.men.mover, state.plies]
            .into_iter()
            .fold(0, |key, part| key << 8 | u128::from(part))
    }

    fn values(&self, state: &Position, _budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        let left = self.plies_left(state);
        let value = |action| {
            let plies =
                table::plies(self.after(state.men, action)).filter(|plies| plies.unsigned_abs() < left);
            // The other player moves next.
            let outcome = plies.map_or(0, |plies| if plies > 0 { -1 } else { 1 });
            (action, Value::proved(outcome, plies.map(|plies| plies.unsigned_abs() + 1), outcome.into()))
        };
        Ok(self.legal(state).iter().map(value).collect())
    }

    /// A table of three men takes a twentieth of a second, once, one of four two seconds.
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
    fn a_queen_and_a_rook_take_each_other() {
        let game = game(Ending::Kqkr, 0, "7k/8/8/r6Q/8/8/8/7K b");
        let mut state = start(&game);
        let why = |text| game.why_illegal(&state, game.read_action(text).unwrap());
        assert_eq!(why("Ra1"), "the king would be in check");
        assert_eq!(why("Qh1"), "Black has no queen");
        game.apply(&mut state, game.read_action("Rxh5+").unwrap());
        assert_eq!(state.men.fen(), "7k/8/8/7r/8/8/8/7K w");
        // Now Black's king and rook win.
        while game.turn(&state) != Turn::Over {
            let best = game.best(&state, Optimality::Dtm, &mut Budget::unlimited()).unwrap();
            game.apply(&mut state, best.iter().next().unwrap());
        }
        assert_eq!((game.turn(&state), game.returns(&state)), (Turn::Over, [-1.0, 1.0]));
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
        assert_eq!(why(&state, "e3"), "Black has no pawn");
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
            ("8/8/8/4k3/8/8/8/K7 w", "it lacks Q"),
            ("8/8/8/8/8/8/kQ6/K7 w", "the kings touch"),
            ("8/8/8/4k3/8/8/8/KR6 w", "`R` is not a man of this ending"),
            ("8/8/8/4k3/8/8/8/KQ6 x", "`x` is not w or b"),
            ("7k/5Q2/8/8/8/8/8/K7 b", "the game is over"),
        ] {
            let why = ChessEndgamesParams::new(Ending::Kqk, 0, fen.to_owned()).consistent().unwrap_err();
            assert!(why.contains(said), "{fen}: {why}");
        }
    }

    #[test]
    fn every_start_mates_in_exactly_so_many() {
        for (ending, most) in
            [(Ending::Kqk, 10), (Ending::Krk, 16), (Ending::Kpk, 28), (Ending::Kqkr, 35), (Ending::Kbnk, 33)]
        {
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
