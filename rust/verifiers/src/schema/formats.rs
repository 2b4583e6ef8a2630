//! The formats of JSON Schema that are checked.

use std::net::{Ipv4Addr, Ipv6Addr};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    DateTime,
    Date,
    Time,
    Duration,
    Email,
    Hostname,
    Ipv4,
    Ipv6,
    Uri,
    UriReference,
    Uuid,
    JsonPointer,
    Regex,
}

impl Format {
    pub const ALL: [(&str, Self); 13] = [
        ("date-time", Self::DateTime),
        ("date", Self::Date),
        ("time", Self::Time),
        ("duration", Self::Duration),
        ("email", Self::Email),
        ("hostname", Self::Hostname),
        ("ipv4", Self::Ipv4),
        ("ipv6", Self::Ipv6),
        ("uri", Self::Uri),
        ("uri-reference", Self::UriReference),
        ("uuid", Self::Uuid),
        ("json-pointer", Self::JsonPointer),
        ("regex", Self::Regex),
    ];

    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, format)| format)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// Linear in the text.
    pub fn fits(self, text: &str) -> bool {
        match self {
            Self::DateTime => {
                let parts = text.get(..10).zip(text.get(11..));
                let parted = matches!(text.as_bytes().get(10), Some(b'T' | b't' | b' '));
                parts.is_some_and(|(date, time)| parted && is_date(date) && is_time(time))
            }
            Self::Date => is_date(text),
            Self::Time => is_time(text),
            Self::Duration => is_duration(text),
            Self::Email => is_email(text),
            Self::Hostname => is_hostname(text),
            Self::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Self::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
            Self::Uri => {
                let scheme = text.split(':').next().unwrap_or_default();
                let starts = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
                let plain = scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
                starts && plain && scheme.len() < text.len() && is_uri_reference(&text[scheme.len() + 1..])
            }
            Self::UriReference => is_uri_reference(text),
            Self::Uuid => {
                let dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
                let fits =
                    |(at, byte): (usize, u8)| if dash(at) { byte == b'-' } else { byte.is_ascii_hexdigit() };
                text.len() == 36 && text.bytes().enumerate().all(fits)
            }
            Self::JsonPointer => {
                let escaped = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
                escaped && (text.is_empty() || text.starts_with('/'))
            }
            Self::Regex => text.len() <= 4096 && is_regex(text),
        }
    }
}

/// True if a text is a regular expression. Nothing is compiled.
fn is_regex(text: &str) -> bool {
    regex_syntax::ast::parse::ParserBuilder::new().nest_limit(100).build().parse(text).is_ok()
}

/// The number in a text of exactly this many digits.
fn digits(text: &str, count: usize) -> Option<u32> {
    let fits = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}

/// A date of RFC 3339: a day that its month has.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut next = |count| parts.next().and_then(|part| digits(part, count));
    let (Some(year), Some(month), Some(day)) = (next(4), next(2), next(2)) else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    parts.next().is_none() && (1..=days).contains(&day)
}

/// A time of RFC 3339 with its offset; a second 60 only where the day ends in UTC.
fn is_time(text: &str) -> bool {
    let Some(at) = text.find(['Z', 'z', '+', '-']) else { return false };
    let (clock, offset) = text.split_at(at);
    let clock_parts = |text: &str, seconds: bool| {
        let mut parts = text.split(':');
        let hour = parts.next().and_then(|part| digits(part, 2)).filter(|hour| *hour < 24)?;
        let minute = parts.next().and_then(|part| digits(part, 2)).filter(|minute| *minute < 60)?;
        let second = if seconds {
            let (whole, fraction) = parts.next()?.split_at_checked(2)?;
            let fits = fraction.is_empty()
                || fraction
                    .strip_prefix('.')
                    .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
            digits(whole, 2).filter(|second| fits && *second <= 60)?
        } else {
            0
        };
        parts.next().is_none().then_some((hour * 60 + minute, second))
    };
    let Some((minute, second)) = clock_parts(clock, true) else { return false };
    let behind = match offset.split_at(1) {
        ("Z" | "z", "") => 0,
        (sign @ ("+" | "-"), rest) => match clock_parts(rest, false) {
            Some((minutes, _)) => {
                if sign == "+" {
                    24 * 60 - minutes
                } else {
                    minutes
                }
            }
            None => return false,
        },
        _ => return false,
    };
    second < 60 || (minute + behind) % (24 * 60) == 24 * 60 - 1
}

/// A duration of ISO 8601: `P1Y2M3DT4H5M6S` with units in order, or `P4W`.
fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    let units = |text: &str, order: &str| {
        let (mut left, mut rest) = (order, text);
        while !rest.is_empty() {
            let count = rest.bytes().take_while(u8::is_ascii_digit).count();
            let Some(unit) = rest[count..].chars().next().filter(|_| count > 0) else { return false };
            let Some(at) = left.find(unit) else { return false };
            // No unit may be skipped between two that are given.
            if left.len() < order.len() && at > 0 {
                return false;
            }
            left = &left[at + unit.len_utf8()..];
            rest = &rest[count + unit.len_utf8()..];
        }
        true
    };
    let weeks = rest.strip_suffix('W');
    if let Some(weeks) = weeks {
        return !weeks.is_empty() && weeks.bytes().all(|byte| byte.is_ascii_digit());
    }
    match rest.split_once('T') {
        Some((date, time)) => !time.is_empty() && units(date, "YMD") && units(time, "HMS"),
        None => !rest.is_empty() && units(rest, "YMD"),
    }
}

/// A mailbox of RFC 5321: one `@`, with atoms or quoted text before it and a host or an address after it.
fn is_email(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else { return false };
    let atom = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c))
    };
    let inner = local.strip_prefix('"').and_then(|local| local.strip_suffix('"'));
    let plain = |text: &str| text.chars().all(|c| (' '..='~').contains(&c)) && !text.contains(['"', '\\']);
    let local_fits = inner.map_or_else(|| local.split('.').all(atom), plain);
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host_fits = match address {
        Some(address) => match address.strip_prefix("IPv6:") {
            Some(six) => six.parse::<Ipv6Addr>().is_ok(),
            None => address.parse::<Ipv4Addr>().is_ok(),
        },
        None => is_hostname(host),
    };
    local_fits && host_fits
}

/// A host name of RFC 1123.
fn is_hostname(text: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

/// A reference of RFC 3986, as far as its characters are concerned.
fn is_uri_reference(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    let escapes = text.split('%').skip(1).all(|rest| {
        rest.get(..2).is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
    });
    text.chars().all(allowed) && escapes && text.matches('#').count() <= 1
}
