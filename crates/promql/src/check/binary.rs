//! Operands and vector matching of binary operations.

use super::{Checker, Result, ValueType, a, of_operands};
use crate::ast::{Binary, Expr, GroupModifier, Matching};
use crate::error::SyntaxError;

impl Checker {
    pub(super) fn check_binary(
        &mut self,
        binary: &Binary,
        expr: &Expr,
    ) -> Result<Option<ValueType>> {
        let lhs = self.operand(binary, &binary.lhs)?;
        let rhs = self.operand(binary, &binary.rhs)?;
        self.check_operator(binary, lhs, rhs)?;
        let scalar = [lhs, rhs].contains(&Some(ValueType::Scalar));
        if let Some(matching) = &binary.matching {
            let vectors = [lhs, rhs] == [Some(ValueType::Vector); 2];
            self.check_group(binary, matching, vectors)?;
            // Prometheus lets `on ()` pass here, and so does this.
            if scalar && !matching.labels.is_empty() && !matching.clause {
                self.report(SyntaxError::new(
                    "`on` and `ignoring` need instant vectors on both sides",
                    expr.span.clone(),
                ))?;
            }
        }
        if binary.fill.is_some() && (scalar || binary.op.is_set()) {
            let message = "`fill` needs an operator between values of instant vectors";
            self.report(SyntaxError::new(message, binary.op_span.clone()))?;
        }
        Ok(of_operands(lhs, rhs))
    }

    fn operand(&mut self, binary: &Binary, side: &Expr) -> Result<Option<ValueType>> {
        let found = self.check(side)?;
        if let Some(wrong @ (ValueType::Matrix | ValueType::String)) = found {
            let message = format!(
                "`{}` needs scalars or instant vectors, got {}",
                binary.op,
                a(wrong)
            );
            self.report(SyntaxError::new(message, side.span.clone()))?;
            return Ok(None);
        }
        Ok(found)
    }

    fn check_operator(
        &mut self,
        binary: &Binary,
        lhs: Option<ValueType>,
        rhs: Option<ValueType>,
    ) -> Result<()> {
        let op = binary.op;
        let operator = |message: String| SyntaxError::new(message, binary.op_span.clone());
        let scalars = [lhs, rhs] == [Some(ValueType::Scalar); 2];
        if binary.bool_modifier && !op.is_comparison() {
            self.report(operator(format!(
                "`bool` fits only comparisons, not `{op}`"
            )))?;
        }
        if op.is_comparison() && !binary.bool_modifier && scalars {
            let error = operator("a comparison of scalars needs `bool`".to_owned());
            self.report(error.help(format!("write `{op} bool`")))?;
        }
        if op.is_set() && [lhs, rhs].contains(&Some(ValueType::Scalar)) {
            let error = operator(format!("`{op}` needs instant vectors on both sides"));
            self.report(error.help("`vector(…)` makes an instant vector of a scalar"))?;
        }
        Ok(())
    }

    fn check_group(&mut self, binary: &Binary, matching: &Matching, vectors: bool) -> Result<()> {
        let Some(group) = &matching.group else {
            return Ok(());
        };
        if matching.on
            && let Some(label) = common_label(matching, group)
        {
            let message = format!("`{}` is both in `on` and in the group modifier", label.text);
            let error = SyntaxError::new(message, label.span.clone());
            self.report(error.help("remove it from the group modifier"))?;
        }
        if binary.op.is_set() && vectors {
            self.report(SyntaxError::new(
                format!("`{}` takes no `group_left` or `group_right`", binary.op),
                binary.op_span.clone(),
            ))?;
        }
        Ok(())
    }
}

fn common_label<'a>(matching: &Matching, group: &'a GroupModifier) -> Option<&'a crate::ast::Name> {
    let known = |text: &str| matching.labels.iter().any(|other| other.text == text);
    group
        .include
        .iter()
        .find(|label| label.placeholders.is_empty() && known(&label.text))
}
