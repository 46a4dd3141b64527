//go:build v2_42

package main

import "github.com/prometheus/prometheus/promql/parser"

const version = "Prometheus 2.42"

func parse(query string) (parser.Expr, error) { return parser.ParseExpr(query) }

func readable(ours verdict) bool { return ours.Ok && before(ours.Since, 2, 42) }

// lenient: it also took what later releases refuse.
const lenient = true
