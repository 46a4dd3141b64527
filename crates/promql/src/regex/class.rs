//! Escapes and character classes.

use super::{Part, Problem, Scanner};

const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

impl Scanner<'_> {
    pub(super) fn backslash(&mut self) -> Result<Option<Part>, Problem> {
        let empty = match self.pattern.as_bytes().get(self.pos + 1) {
            Some(b'A' | b'z' | b'B') => true,
            Some(b'b') => false,
            Some(b'Q') => {
                self.pos += 2;
                self.quoting = true;
                return Ok(None);
            }
            _ => {
                if !self.shared_class()? {
                    self.escaped_char()?;
                }
                return Ok(Some(Part::new(false)));
            }
        };
        self.pos += 2;
        Ok(Some(Part::new(empty)))
    }

    /// `\d`, `\pL`, `\p{Greek}`: classes that may be inside brackets, too.
    fn shared_class(&mut self) -> Result<bool, Problem> {
        let start = self.pos;
        match self.pattern.as_bytes().get(self.pos + 1) {
            Some(b'd' | b'D' | b's' | b'S' | b'w' | b'W') => self.pos += 2,
            Some(b'p' | b'P') => {
                self.pos += 2;
                let name = self.unicode_name();
                if !name.is_some_and(known_unicode_class) {
                    return Err(self.problem("unknown Unicode class", start));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unicode_name(&mut self) -> Option<&str> {
        let pattern = self.pattern;
        let start = self.pos;
        if !self.eat("{") {
            self.next_char()?;
            return Some(&pattern[start..self.pos]);
        }
        let length = self.rest().find('}')?;
        self.pos += length + 1;
        let name = &pattern[start + 1..start + 1 + length];
        Some(name.strip_prefix('^').unwrap_or(name))
    }

    /// `\n`, `\x{1F}`, `\.`: an escape for one character.
    fn escaped_char(&mut self) -> Result<char, Problem> {
        let start = self.pos;
        self.eat("\\");
        let bad = "bad escape";
        let Some(c) = self.next_char() else {
            return Err(self.problem("`\\` at the end", start));
        };
        let value = match c {
            '1'..='7' if !matches!(self.peek(), Some(b'0'..=b'7')) => {
                return Err(self.problem("backreferences are not supported", start));
            }
            '0'..='7' => {
                let octal = |byte: &u8| matches!(byte, b'0'..=b'7');
                let more = self.rest().bytes().take(2).take_while(octal).count();
                self.pos += more;
                u32::from_str_radix(&self.pattern[start + 1..self.pos], 8).ok()
            }
            'x' => self.hex_digits(),
            'a' => Some(7),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
            _ => None,
        };
        value
            .and_then(char::from_u32)
            .ok_or_else(|| self.problem(bad, start))
    }

    fn hex_digits(&mut self) -> Option<u32> {
        let rest = self.rest();
        let (digits, length) = match rest.strip_prefix('{') {
            Some(body) => {
                let end = body.find('}')?;
                (&body[..end], end + 2)
            }
            None => (rest.get(..2)?, 2),
        };
        let all_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.pos += length;
        all_hex.then(|| u32::from_str_radix(digits, 16).ok())?
    }

    pub(super) fn class(&mut self) -> Result<(), Problem> {
        let start = self.pos;
        self.eat("[");
        self.eat("^");
        let mut first = true;
        while first || self.peek() != Some(b']') {
            first = false;
            if self.peek().is_none() {
                self.pos = start;
                return Err(self.problem("`[` without `]`", start));
            }
            if self.posix_class()? || self.peek() == Some(b'\\') && self.shared_class()? {
                continue;
            }
            self.class_range()?;
        }
        self.pos += 1;
        Ok(())
    }

    fn posix_class(&mut self) -> Result<bool, Problem> {
        let Some(body) = self.rest().strip_prefix("[:") else {
            return Ok(false);
        };
        let Some(length) = body.find(":]") else {
            return Ok(false);
        };
        let start = self.pos;
        let name = &body[..length];
        self.pos += length + 4;
        if !POSIX.contains(&name.strip_prefix('^').unwrap_or(name)) {
            return Err(self.problem("unknown character class", start));
        }
        Ok(true)
    }

    fn class_range(&mut self) -> Result<(), Problem> {
        let start = self.pos;
        let low = self.class_char()?;
        let rest = self.rest();
        if rest.len() >= 2 && rest.starts_with('-') && !rest.starts_with("-]") {
            self.pos += 1;
            if self.class_char()? < low {
                return Err(self.problem("the range runs backwards", start));
            }
        }
        Ok(())
    }

    fn class_char(&mut self) -> Result<char, Problem> {
        if self.peek() == Some(b'\\') {
            return self.escaped_char();
        }
        let start = self.pos;
        self.next_char()
            .ok_or_else(|| self.problem("`[` without `]`", start))
    }
}

/// What Go knows of Unicode: general categories by their short names, and scripts.
const UNICODE: &str = "\
    Adlam Ahom Anatolian_Hieroglyphs Any Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak \
    Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid C Canadian_Aboriginal Carian \
    Caucasian_Albanian Cc Cf Chakma Cham Cherokee Chorasmian Cn Co Common Coptic Cs Cuneiform \
    Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs \
    Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi \
    Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited \
    Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li \
    Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi L LC Lao Latin Lepcha Limbu Linear_A \
    Linear_B Lisu Ll Lm Lo Lt Lu Lycian Lydian M Mahajani Makasar Malayalam Mandaic Manichaean \
    Marchen Masaram_Gondi Mc Me Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive \
    Meroitic_Hieroglyphs Miao Mn Modi Mongolian Mro Multani Myanmar N Nabataean Nag_Mundari \
    Nandinagari Nd New_Tai_Lue Newa Nko Nl No Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki \
    Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian \
    Old_Turkic Old_Uyghur Oriya Osage Osmanya P Pahawh_Hmong Palmyrene Pau_Cin_Hau Pc Pd Pe Pf \
    Phags_Pa Phoenician Pi Po Ps Psalter_Pahlavi Rejang Runic S Samaritan Saurashtra Sc Sharada \
    Shavian Siddham SignWriting Sinhala Sk Sm So Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri \
    Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai \
    Tibetan Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Z \
    Zanabazar_Square Zl Zp Zs";

fn known_unicode_class(name: &str) -> bool {
    UNICODE.split_ascii_whitespace().any(|known| known == name)
}
