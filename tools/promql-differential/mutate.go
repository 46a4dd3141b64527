package main

import (
	"math/rand/v2"
	"regexp"
	"sort"
	"strings"
)

var tokens = regexp.MustCompile("[a-zA-Z_:][a-zA-Z0-9_:]*|[0-9][0-9a-zA-Z_.]*|\"(?:[^\"\\\\]|\\\\.)*\"|'[^']*'|`[^`]*`|\\s+|[=!<>]=|[=!]~|.")

// words are pieces of PromQL that few queries hold.
var words = strings.Split(`offset|@|start()|end()|anchored|smoothed|fill(0)|fill_left(-1)|fill_right (1m)|fill|step()|range()|min_of(1m,2m)|`+
	`max_of(step(),5m)|min(|step|range|max_of|</|>/|[5m]|[1h:5m]|[1h:]|[-(1m)]|[5m+1]|[2^3]|offset (1m)|offset -(-1m)|offset +5m|`+
	`1e18|Inf|NaN|0x1F|0755|1_000|.5|5.|1h30m|1y|1ms|5|-|+|^|*|/|%|atan2|==|!=|>|<|>=|<=|and|or|unless|bool|on(a)|ignoring(b)|`+
	`on("a b")|group_left|group_right(c)|by(a)|without(b)|sum|topk|limitk|limit_ratio|count_values|quantile|rate|info|integral|`+
	`sort_by_label|histogram_quantiles|label_replace|holt_winters|first_over_time|mad_over_time|ts_of_max_over_time|`+
	`{|}|(|)|[|]|,|:|=|=~|!~|"|'|#|# c`+"\n"+`|é|"\xff"|"\u00e9"|"\177"|"\ud800"|'\''|{"a.b"}|{"a","b"}|{a=~"x(y"}|{a=~"(?P<n>x)(?P<n>y)"}|`+
	`{a=~"\\p{Letter}"}|{a=~"\\pL"}|{a=~"x{2,1}"}|{}|__name__|{__name__="a"}|and{a="b"}|x:y|"s"|time()|vector(1)|-1|`+"\u007f|\t|\r|\n| ", "|")

// mutate hands out the queries themselves, then so many mutants of them.
func mutate(queries []string, mutants int, seed uint64) func(func(string) bool) {
	sort.Strings(queries)
	return func(yield func(string) bool) {
		for _, query := range queries {
			if !yield(query) {
				return
			}
		}
		dice := rand.New(rand.NewPCG(seed, 0))
		for range mutants {
			if !yield(mutant(queries, dice)) {
				return
			}
		}
	}
}

func mutant(queries []string, dice *rand.Rand) string {
	parts := partsOf(queries, dice)
	for range 1 + dice.IntN(3) {
		at := dice.IntN(len(parts))
		switch dice.IntN(7) {
		case 0:
			parts[at] = ""
		case 1:
			parts[at] += parts[at]
		case 2:
			other := dice.IntN(len(parts))
			parts[at], parts[other] = parts[other], parts[at]
		case 3:
			parts[at] += words[dice.IntN(len(words))]
		case 4:
			parts[at] += " " + words[dice.IntN(len(words))] + " "
		case 5:
			parts[at] = words[dice.IntN(len(words))]
		case 6:
			other := partsOf(queries, dice)
			parts[at] = other[dice.IntN(len(other))]
		}
	}
	return strings.Join(parts, "")
}

func partsOf(queries []string, dice *rand.Rand) []string {
	for {
		// Long queries take long, and hold nothing that short ones do not.
		query := queries[dice.IntN(len(queries))]
		if parts := tokens.FindAllString(query, -1); len(parts) > 0 && len(query) < 400 {
			return parts
		}
	}
}
