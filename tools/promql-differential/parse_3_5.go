//go:build v3_5

package main

import "github.com/prometheus/prometheus/promql/parser"

const version = "Prometheus 3.5"

func init() {
	parser.EnableExperimentalFunctions = true
	parser.ExperimentalDurationExpr = true
}

func parse(query string) (parser.Expr, error) { return parser.ParseExpr(query) }

func readable(ours verdict) bool { return ours.Ok && before(ours.Since, 3, 5) }

// lenient: it also took what later releases refuse.
const lenient = true
