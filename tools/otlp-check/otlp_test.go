// Evaluates queries and their translation for CloudWatch with Prometheus's own engine, on the same observations: as
// classic histograms for the query, as histogram samples for the translation.
//
//	go test -count 1 .
package otlpcheck

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
)

const queries = "../../tests/fixtures/cloudwatch/otlp-queries.json"

var attributes = map[string]string{
	"@resource.service.name":        "job",
	"@resource.service.instance.id": "instance",
}

// Two replicas of two models; the second began late, and one bucket stays empty.
func series() string {
	var out strings.Builder
	out.WriteString("load_with_nhcb 30s\n")
	for i, model := range []string{"a", "b"} {
		for replica := range 2 {
			instance := fmt.Sprintf("host-%d", replica)
			target := fmt.Sprintf(`job="vllm", instance=%q, "@resource.service.name"="vllm", "@resource.service.instance.id"=%q, model=%q`, instance, instance, model)
			steps := []int{1 + i, 3 + i + replica, 5 + i + replica, 5 + i + replica, 9 + 2*i + replica}
			for _, family := range []string{"ttft_seconds", "first_token_seconds"} {
				if family == "first_token_seconds" && replica == 0 {
					continue
				}
				for b, le := range []string{"0.1", "0.5", "1", "2.5", "+Inf"} {
					fmt.Fprintf(&out, "  %s_bucket{%s, le=%q} 0+%dx80\n", family, target, le, steps[b])
				}
				fmt.Fprintf(&out, "  %s_sum{%s} 0+%dx80\n", family, target, 7+i)
				fmt.Fprintf(&out, "  %s_count{%s} 0+%dx80\n", family, target, steps[4])
			}
			fmt.Fprintf(&out, "  requests_total{%s} 0+%dx80\n", target, 2+replica)
			if i == 0 {
				fmt.Fprintf(&out, "  capacity{job=\"vllm\", instance=%q, \"@resource.service.name\"=\"vllm\", \"@resource.service.instance.id\"=%q} 10x80\n", instance, instance)
			}
			fmt.Fprintf(&out, "  waiting{%s} 0+1x80\n", target)
			fmt.Fprintf(&out, "  retry_count{%s} 0+3x80\n", target)
		}
	}
	return out.String()
}

func TestTranslationsGiveTheSameValues(t *testing.T) {
	text, err := os.ReadFile(queries)
	if err != nil {
		t.Fatal(err)
	}
	var pairs []struct{ What, Prometheus, Cloudwatch string }
	if err := json.Unmarshal(text, &pairs); err != nil {
		t.Fatal(err)
	}
	if len(pairs) == 0 {
		t.Fatal("no pairs of queries")
	}
	storage := promqltest.LoadedStorage(t, series())
	options := promql.EngineOpts{
		MaxSamples: 1_000_000, Timeout: time.Minute,
		Parser: parser.NewParser(parser.Options{}),
	}
	engine := promql.NewEngine(options)
	at := time.Unix(0, 0).Add(35 * time.Minute)
	ask := func(query string) string {
		q, err := engine.NewInstantQuery(context.Background(), storage, nil, query, at)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		defer q.Close()
		result := q.Exec(context.Background())
		if result.Err != nil {
			t.Fatalf("%s: %v", query, result.Err)
		}
		vector, err := result.Vector()
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return show(vector)
	}
	for _, pair := range pairs {
		classic, translated := ask(pair.Prometheus), ask(pair.Cloudwatch)
		if classic == "" {
			t.Errorf("%s: no data", pair.What)
		}
		if classic != translated {
			t.Errorf("%s:\n%s\nis not\n%s", pair.What, translated, classic)
		}
	}
	t.Logf("%d pairs of queries compared", len(pairs))
}

// One line for each element, with the labels of targets under their names in Prometheus.
func show(vector promql.Vector) string {
	var lines []string
	for _, sample := range vector {
		labels := map[string]string{}
		for name, value := range sample.Metric.Map() {
			if plain, found := attributes[name]; found {
				name = plain
			}
			labels[name] = value
		}
		value := math.Round(sample.F*1e9) / 1e9
		lines = append(lines, fmt.Sprintf("%v %v", labels, value))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}
