//! Meanings of names and signs.

use super::expression::Function;
use super::tokens::{Bracket, Named, Relation, Token};

/// Meaning of a LaTeX command.
pub enum Meaning<'a> {
    /// It spaces or styles the text after it.
    Nothing,
    /// Its argument is a color or is not shown.
    Hidden,
    /// It marks the end of a solution.
    Mark,
    /// It styles the rest of its group, which may be text.
    Style,
    /// It sizes the bracket after it.
    Sizing,
    Is(Token<'a>),
    /// The command is a variable.
    Letter,
    /// Its argument is text.
    Text,
    /// Its argument is a variable with a mark.
    Accent,
    NumberSet,
    /// Its argument is the name of a function.
    Operator,
    Begin,
    End,
}

/// The meaning of a command by its name without the backslash.
pub fn meaning(name: &str) -> Option<Meaning<'_>> {
    use Meaning::{
        Accent, Begin, End, Hidden, Is, Letter, Mark, Nothing, NumberSet, Operator, Sizing, Style, Text,
    };
    Some(match name {
        "displaystyle" | "textstyle" | "scriptstyle" | "quad" | "qquad" | "limits" | "nolimits" | "hfill"
        | "therefore" | "thinspace" | "enspace" | "space" | "hline" | "bold" | "nobreakspace"
        | "underline" | "ensuremath" | "framebox" | "scriptscriptstyle" | "bfseries" | "boldmath"
        | "nonumber" | "tiny" | "scriptsize" | "footnotesize" | "small" | "normalsize" | "large"
        | "Large" | "LARGE" | "huge" | "Huge" => Nothing,
        "rm" | "bf" | "it" | "sf" | "tt" | "sc" => Style,
        "color" | "textcolor" | "colorbox" | "phantom" | "hphantom" | "vphantom" | "hspace" | "label"
        | "tag" => Hidden,
        "checkmark" | "blacksquare" | "square" | "Box" | "qed" | "QED" => Mark,
        "left" | "right" | "big" | "Big" | "bigg" | "Bigg" | "bigl" | "bigr" | "Bigl" | "Bigr" | "biggl"
        | "biggr" | "Biggl" | "Biggr" | "middle" | "bigm" => Sizing,
        "frac" | "dfrac" | "tfrac" | "cfrac" => Is(Token::Frac),
        "sqrt" => Is(Token::Root),
        "binom" | "dbinom" | "tbinom" => Is(Token::Binom),
        "choose" => Is(Token::Choose),
        "over" => Is(Token::Over),
        "forall" => Is(Token::ForAll),
        "to" | "rightarrow" | "longrightarrow" | "mapsto" => Is(Token::To),
        "sum" | "prod" | "int" | "iint" | "oint" | "lim" | "limsup" | "liminf" | "sup" | "inf" | "det"
        | "dim" | "ker" | "arg" | "Re" | "Im" | "Pr" | "deg" => Is(Token::Opaque),
        "boxed" | "fbox" => Is(Token::Box),
        "cdot" | "times" | "ast" | "cdotp" => Is(Token::Times),
        "div" => Is(Token::Slash),
        "pm" => Is(Token::PlusMinus(true)),
        "mp" => Is(Token::PlusMinus(false)),
        "pi" => Is(Token::Pi),
        "infty" => Is(Token::Infinity),
        "circ" | "degree" | "textdegree" => Is(Token::Degree),
        "prime" => Is(Token::Prime),
        "percent" => Is(Token::Percent),
        "euro" => Is(Token::Currency("€")),
        "textdollar" | "dollar" => Is(Token::Currency("$")),
        "pounds" => Is(Token::Currency("£")),
        "ldots" | "dots" | "cdots" | "dotsc" | "dotsb" => Is(Token::Dots),
        "lt" => Is(Token::Relation(Relation::Less)),
        "gt" => Is(Token::Relation(Relation::Greater)),
        "le" | "leq" | "leqslant" => Is(Token::Relation(Relation::AtMost)),
        "ge" | "geq" | "geqslant" => Is(Token::Relation(Relation::AtLeast)),
        "ne" | "neq" => Is(Token::Relation(Relation::Unequal)),
        "approx" | "simeq" => Is(Token::Relation(Relation::About)),
        "equiv" => Is(Token::Relation(Relation::Congruent)),
        "in" => Is(Token::Member),
        "cup" | "bigcup" => Is(Token::Union),
        "cap" | "bigcap" => Is(Token::Intersection),
        "setminus" | "backslash" => Is(Token::Without),
        "land" | "wedge" => Is(Token::And),
        "lor" | "vee" => Is(Token::Or),
        "mod" | "pmod" | "bmod" => Is(Token::Mod),
        "emptyset" | "varnothing" => Is(Token::Empty),
        "mid" | "vert" => Is(Token::Bar),
        "lvert" => Is(Token::Open(Bracket::Magnitude)),
        "rvert" => Is(Token::Close(Bracket::Magnitude)),
        "lfloor" => Is(Token::Open(Bracket::Floor)),
        "rfloor" => Is(Token::Close(Bracket::Floor)),
        "lceil" => Is(Token::Open(Bracket::Ceiling)),
        "rceil" => Is(Token::Close(Bracket::Ceiling)),
        "langle" => Is(Token::Open(Bracket::Angle)),
        "rangle" => Is(Token::Close(Bracket::Angle)),
        "lbrace" => Is(Token::Open(Bracket::Set)),
        "rbrace" => Is(Token::Close(Bracket::Set)),
        "overline" => Is(Token::Overline),
        "text" | "mathrm" | "textrm" | "textbf" | "mbox" | "textit" | "mathit" | "textnormal" | "textsf"
        | "texttt" | "textsc" | "textup" | "emph" | "hbox" => Text,
        "mathbf" | "vec" | "hat" | "boldsymbol" | "bar" | "tilde" | "mathcal" | "mathsf" | "dot" | "bm"
        | "mathtt" | "mathfrak" => Accent,
        "mathbb" | "Bbb" => NumberSet,
        "operatorname" => Operator,
        "begin" => Begin,
        "end" => End,
        _ if GREEK.contains(&name) => Letter,
        _ => return plain_name(name).filter(|token| matches!(token, Token::Function(_))).map(Is),
    })
}

const GREEK: &[&str] = &[
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "varepsilon",
    "zeta",
    "eta",
    "theta",
    "vartheta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "varphi",
    "chi",
    "psi",
    "omega",
    "Gamma",
    "Delta",
    "Theta",
    "Lambda",
    "Xi",
    "Sigma",
    "Upsilon",
    "Phi",
    "Psi",
    "Omega",
    "ell",
    "angle",
    "triangle",
];

/// The name of a Greek letter at the start of `rest`; the letter itself if it has none.
pub fn greek(letter: char, rest: &str) -> &str {
    match letter {
        'α' => "alpha",
        'β' => "beta",
        'γ' => "gamma",
        'δ' => "delta",
        'ε' => "epsilon",
        'θ' => "theta",
        'λ' => "lambda",
        'μ' => "mu",
        'ρ' => "rho",
        'σ' => "sigma",
        'τ' => "tau",
        'φ' => "phi",
        'ψ' => "psi",
        'ω' => "omega",
        'Γ' => "Gamma",
        'Δ' => "Delta",
        'Θ' => "Theta",
        'Ω' => "Omega",
        _ => &rest[..letter.len_utf8()],
    }
}

/// The token for a name of letters alone, without a backslash.
pub fn plain_name<'a>(name: &str) -> Option<Token<'a>> {
    use Function as F;
    use Named::{Gcd, Lcm, LogOf, Max, Min, Of, Over, Root};
    Some(match name {
        "sin" => Token::Function(Of(F::Sin)),
        "cos" => Token::Function(Of(F::Cos)),
        "tan" | "tg" => Token::Function(Of(F::Tan)),
        "sec" => Token::Function(Over(F::Cos)),
        "csc" | "cosec" => Token::Function(Over(F::Sin)),
        "cot" | "ctg" => Token::Function(Over(F::Tan)),
        "arcsin" | "asin" => Token::Function(Of(F::Arcsin)),
        "arccos" | "acos" => Token::Function(Of(F::Arccos)),
        "arctan" | "atan" | "arctg" => Token::Function(Of(F::Arctan)),
        "sinh" => Token::Function(Of(F::Sinh)),
        "cosh" => Token::Function(Of(F::Cosh)),
        "tanh" => Token::Function(Of(F::Tanh)),
        "exp" => Token::Function(Of(F::Exp)),
        "ln" => Token::Function(Of(F::Ln)),
        "log" => Token::Function(Of(F::Log)),
        "lg" => Token::Function(LogOf(10)),
        "abs" => Token::Function(Of(F::Abs)),
        "floor" => Token::Function(Of(F::Floor)),
        "ceil" | "ceiling" => Token::Function(Of(F::Ceiling)),
        "max" => Token::Function(Max),
        "min" => Token::Function(Min),
        "gcd" => Token::Function(Gcd),
        "lcm" => Token::Function(Lcm),
        "sqrt" => Token::Function(Root(2)),
        "cbrt" => Token::Function(Root(3)),
        "pi" => Token::Pi,
        "infinity" | "inf" | "infty" | "Infinity" => Token::Infinity,
        "and" => Token::And,
        "or" => Token::Or,
        "mod" => Token::Mod,
        "deg" | "degrees" | "degree" => Token::Degree,
        "percent" | "pct" | "percentage" => Token::Percent,
        "union" => Token::Union,
        "theta" => Token::Letter("theta"),
        "alpha" => Token::Letter("alpha"),
        "beta" => Token::Letter("beta"),
        "gamma" => Token::Letter("gamma"),
        "lambda" => Token::Letter("lambda"),
        "omega" => Token::Letter("omega"),
        "phi" => Token::Letter("phi"),
        _ => return None,
    })
}

/// The name at the start of a run of letters, if only variables can follow: `sinx`, `pix`.
pub fn plain_prefix<'a>(run: &str) -> Option<(Token<'a>, usize)> {
    let names = ["arcsin", "arccos", "arctan", "sqrt", "sin", "cos", "tan", "log", "ln", "pi"];
    let name = names.into_iter().find(|name| run.starts_with(name) && run.len() <= name.len() + 2)?;
    Some((plain_name(name)?, name.len()))
}

pub fn is_currency(c: char) -> bool {
    "$€£¥₹₩₽¢".contains(c)
}

/// Meaning of a single sign.
pub fn sign<'a>(c: char) -> Option<Token<'a>> {
    Some(match c {
        '+' => Token::Plus,
        '-' | '−' | '–' => Token::Minus,
        '*' | '×' | '·' | '⋅' | '∗' => Token::Times,
        '/' | '÷' | '∕' | '⁄' => Token::Slash,
        ':' => Token::Colon,
        '^' => Token::Caret,
        '_' => Token::Under,
        '!' => Token::Bang,
        '\'' | '′' => Token::Prime,
        '%' => Token::Percent,
        '°' | 'º' => Token::Degree,
        '$' => Token::Currency("$"),
        ',' => Token::Comma,
        ';' => Token::Semicolon,
        '|' | '∣' => Token::Bar,
        '}' => Token::Close(Bracket::Brace),
        '⟨' => Token::Open(Bracket::Angle),
        '⟩' => Token::Close(Bracket::Angle),
        '⌊' => Token::Open(Bracket::Floor),
        '⌋' => Token::Close(Bracket::Floor),
        '⌈' => Token::Open(Bracket::Ceiling),
        '⌉' => Token::Close(Bracket::Ceiling),
        '=' => Token::Relation(Relation::Equal),
        '≈' | '≃' => Token::Relation(Relation::About),
        '≠' => Token::Relation(Relation::Unequal),
        '<' => Token::Relation(Relation::Less),
        '>' => Token::Relation(Relation::Greater),
        '≤' | '⩽' => Token::Relation(Relation::AtMost),
        '≥' | '⩾' => Token::Relation(Relation::AtLeast),
        '≡' => Token::Relation(Relation::Congruent),
        '∈' => Token::Member,
        '∪' => Token::Union,
        '∩' => Token::Intersection,
        '∖' => Token::Without,
        '∧' => Token::And,
        '∨' => Token::Or,
        '∅' => Token::Empty,
        '∀' => Token::ForAll,
        '→' => Token::To,
        '±' => Token::PlusMinus(true),
        '∓' => Token::PlusMinus(false),
        '√' => Token::Function(Named::Root(2)),
        '∛' => Token::Function(Named::Root(3)),
        'π' => Token::Pi,
        '∞' => Token::Infinity,
        '…' => Token::Dots,
        '&' => Token::Cell,
        'ℝ' => Token::NumberSet('R'),
        'ℤ' => Token::NumberSet('Z'),
        'ℕ' => Token::NumberSet('N'),
        'ℚ' => Token::NumberSet('Q'),
        'ℂ' => Token::NumberSet('C'),
        '½' => Token::Vulgar(1, 2),
        '⅓' => Token::Vulgar(1, 3),
        '⅔' => Token::Vulgar(2, 3),
        '¼' => Token::Vulgar(1, 4),
        '¾' => Token::Vulgar(3, 4),
        '⅕' => Token::Vulgar(1, 5),
        '⅖' => Token::Vulgar(2, 5),
        '⅗' => Token::Vulgar(3, 5),
        '⅘' => Token::Vulgar(4, 5),
        '⅙' => Token::Vulgar(1, 6),
        '⅚' => Token::Vulgar(5, 6),
        '⅐' => Token::Vulgar(1, 7),
        '⅛' => Token::Vulgar(1, 8),
        '⅜' => Token::Vulgar(3, 8),
        '⅝' => Token::Vulgar(5, 8),
        '⅞' => Token::Vulgar(7, 8),
        '⅑' => Token::Vulgar(1, 9),
        '⅒' => Token::Vulgar(1, 10),
        _ => return None,
    })
}
