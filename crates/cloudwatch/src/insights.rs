//! Metrics Insights: `SELECT AVG(Load) FROM "App" WHERE Api = 'a' GROUP BY Stage ORDER BY MAX() DESC LIMIT 5`.
//!
//! Parses the documented syntax. In conditions it checks only quotes and operators, because AWS adds to them.

const FUNCTIONS: [&str; 5] = ["AVG", "COUNT", "MAX", "MIN", "SUM"];

/// What conditions of SQL have and those of Metrics Insights do not: there, `[AND …]` is all that follows one.
const OTHER_SQL: [&str; 5] = ["OR", "IN", "LIKE", "BETWEEN", "IS"];

const MOST: u32 = 500;

pub(super) fn is_query(text: &str) -> bool {
    let start = text.trim_start();
    let word = start
        .get(..6)
        .is_some_and(|word| word.eq_ignore_ascii_case("select"));
    word && start[6..].starts_with(|c: char| c.is_whitespace())
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Query {
    /// True when it gives a series for each value of a label.
    pub(super) grouped: bool,
}

pub(super) fn read(text: &str) -> Result<Query, String> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
    };
    parser.query()
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A keyword, a name, or a number.
    Word(String),
    Name,
    Value,
    Sign(char),
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Name => f.write_str("a name in double quotes"),
            Token::Value => f.write_str("a value in single quotes"),
            Token::Sign(sign) => write!(f, "`{sign}`"),
        }
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c.is_whitespace() => {}
            quote @ ('"' | '\'') => {
                let mut closed = false;
                while let Some((_, c)) = chars.next() {
                    match c {
                        '\\' => drop(chars.next()),
                        c if c == quote => {
                            closed = true;
                            break;
                        }
                        _ => {}
                    }
                }
                if !closed {
                    return Err("a closing quote is missing".to_owned());
                }
                found.push(if quote == '"' {
                    Token::Name
                } else {
                    Token::Value
                });
            }
            c if c.is_alphanumeric() || c == '_' => {
                let mut end = at + c.len_utf8();
                while let Some((next, c)) = chars.next_if(|(_, c)| c.is_alphanumeric() || *c == '_')
                {
                    end = next + c.len_utf8();
                }
                found.push(Token::Word(text[at..end].to_owned()));
            }
            sign => found.push(Token::Sign(sign)),
        }
    }
    Ok(found)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(found)) if found.eq_ignore_ascii_case(word))
    }

    fn take(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        self.at += usize::from(is);
        is
    }

    fn take_sign(&mut self, sign: char) -> bool {
        let is = self.peek() == Some(&Token::Sign(sign));
        self.at += usize::from(is);
        is
    }

    fn need(&mut self, sign: char) -> Result<(), String> {
        match self.take_sign(sign) {
            true => Ok(()),
            false => Err(self.instead(&format!("`{sign}`"))),
        }
    }

    fn instead(&self, wanted: &str) -> String {
        match self.peek() {
            Some(token) => format!("expected {wanted}, found {token}"),
            None => format!("{wanted} is missing at the end"),
        }
    }

    fn query(&mut self) -> Result<Query, String> {
        self.take("SELECT");
        self.function()?;
        self.need('(')?;
        self.name("a metric")?;
        self.need(')')?;
        if !self.take("FROM") {
            return Err(self.instead("FROM"));
        }
        self.source()?;
        if self.take("WHERE") {
            self.conditions()?;
        }
        let grouped = self.take("GROUP");
        if grouped {
            self.by()?;
            self.labels()?;
        }
        if self.take("ORDER") {
            self.by()?;
            self.order()?;
        }
        if self.take("LIMIT") {
            self.limit()?;
        }
        match self.peek() {
            None => Ok(Query { grouped }),
            Some(_) => Err(self.instead("WHERE, GROUP BY, ORDER BY or LIMIT, in this order,")),
        }
    }

    fn function(&mut self) -> Result<(), String> {
        match FUNCTIONS.iter().any(|function| self.take(function)) {
            true => Ok(()),
            false => Err(self.instead(&FUNCTIONS.join(", "))),
        }
    }

    fn by(&mut self) -> Result<(), String> {
        match self.take("BY") {
            true => Ok(()),
            false => Err(self.instead("BY")),
        }
    }

    fn name(&mut self, what: &str) -> Result<(), String> {
        loop {
            match self.peek() {
                Some(Token::Word(_) | Token::Name) => self.at += 1,
                _ => return Err(self.instead(what)),
            }
            if !self.take_sign('.') {
                return Ok(());
            }
        }
    }

    fn source(&mut self) -> Result<(), String> {
        if self.is_word("SCHEMA") {
            self.at += 1;
            self.need('(')?;
            self.name("a namespace")?;
            while self.take_sign(',') {
                self.name("a label")?;
            }
            return self.need(')');
        }
        self.name("a namespace")?;
        match self.peek() {
            Some(Token::Sign('/' | '-' | ':')) => Err(
                "a namespace with characters other than letters, digits and `_` needs double quotes"
                    .to_owned(),
            ),
            _ => Ok(()),
        }
    }

    fn conditions(&mut self) -> Result<(), String> {
        let start = self.at;
        while let Some(token) = self.peek() {
            let ends = ["GROUP", "ORDER", "LIMIT"]
                .iter()
                .any(|word| self.is_word(word));
            if ends {
                break;
            }
            match token {
                Token::Sign('<' | '>' | '~') => return Err(self.instead("`=` or `!=`")),
                Token::Word(word) if self.is_other_sql(word) => {
                    return Err(self.instead("`=`, `!=` or AND"));
                }
                Token::Name if self.at > start && self.tokens[self.at - 1] == Token::Sign('=') => {
                    return Err("label values must be in single quotes".to_owned());
                }
                _ => self.at += 1,
            }
        }
        match self.at > start {
            true => Ok(()),
            false => Err(self.instead("a condition")),
        }
    }

    /// True for a keyword of SQL in this place; in front of an operator it is the name of a label.
    fn is_other_sql(&self, word: &str) -> bool {
        let next = self.tokens.get(self.at + 1);
        OTHER_SQL
            .iter()
            .any(|other| word.eq_ignore_ascii_case(other))
            && !matches!(next, Some(Token::Sign('=' | '!' | '.')))
    }

    fn labels(&mut self) -> Result<(), String> {
        self.name("a label")?;
        while self.take_sign(',') {
            self.name("a label")?;
        }
        Ok(())
    }

    fn order(&mut self) -> Result<(), String> {
        self.function()?;
        self.need('(')?;
        self.need(')')?;
        if !self.take("DESC") {
            self.take("ASC");
        }
        Ok(())
    }

    fn limit(&mut self) -> Result<(), String> {
        let count = match self.peek() {
            Some(Token::Word(word)) => word.parse::<u32>().ok(),
            _ => None,
        };
        match count {
            Some(1..=MOST) => {
                self.at += 1;
                Ok(())
            }
            _ => Err(format!("LIMIT must be 1 to {MOST}")),
        }
    }
}
