//go:build !v3_5 && !v2_42

package main

import "github.com/prometheus/prometheus/promql/parser"

const version = "Prometheus 3.16"

var prometheus = parser.NewParser(parser.Options{EnableExperimentalFunctions: true, EnableBinopFillModifiers: true})

func parse(query string) (parser.Expr, error) { return prometheus.ParseExpr(query) }

func readable(ours verdict) bool { return ours.Ok }

// lenient releases also took what later ones refuse.
const lenient = false
