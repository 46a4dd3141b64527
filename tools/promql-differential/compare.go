package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// verdict is what slosmith says of a query.
type verdict struct {
	Ok      bool
	Type    string
	Error   string
	Printed []string
	// Since is the oldest Prometheus that reads the query, as its major and minor number.
	Since [2]int
}

// compare asks both parsers for their verdict on every query.
func compare(program string, queries func(func(string) bool), tally *tally) error {
	child := exec.Command(program)
	child.Stderr = os.Stderr
	stdin, err := child.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	sent := make(chan string, 1024)
	go send(stdin, queries, sent)
	answers := json.NewDecoder(bufio.NewReaderSize(stdout, 1<<20))
	for query := range sent {
		var ours verdict
		if err := answers.Decode(&ours); err != nil {
			return fmt.Errorf("no verdict on %q: %w", query, err)
		}
		judge(query, ours, tally)
	}
	return child.Wait()
}

func send(stdin io.WriteCloser, queries func(func(string) bool), sent chan<- string) {
	writer := bufio.NewWriterSize(stdin, 1<<20)
	encoder := json.NewEncoder(writer)
	count := 0
	for query := range queries {
		if encoder.Encode(query) != nil {
			break
		}
		// An answer waits for its question to arrive.
		if count++; count%256 == 0 {
			writer.Flush()
		}
		sent <- query
	}
	writer.Flush()
	stdin.Close()
	close(sent)
}

func judge(query string, ours verdict, tally *tally) {
	theirs, err := parse(query)
	switch {
	case !readable(ours) && err != nil:
		tally.refused++
	case err != nil:
		tally.differ("accepted, refused by Prometheus: "+class(err), fmt.Sprintf("%q: %v", query, err))
	case !readable(ours) && (lenient || failsLater(theirs)):
		tally.refused++
	case !readable(ours):
		tally.differ("refused, accepted by Prometheus", fmt.Sprintf("%q: %s, since %v", query, ours.Error, ours.Since))
	case ours.Type != kinds[string(theirs.Type())]:
		tally.differ("type", fmt.Sprintf("%q: %s, Prometheus %s", query, ours.Type, theirs.Type()))
	default:
		tally.accepted++
		for _, printed := range ours.Printed {
			judgePrinted(query, theirs.String(), printed, tally)
		}
	}
}

// failsLater tells of a query that Prometheus accepts, and then refuses each time it evaluates it: slosmith refuses it at once.
func failsLater(expr parser.Expr) (fails bool) {
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if call, ok := node.(*parser.Call); ok && call.Func.Name == "label_replace" && len(call.Args) == 5 {
			if pattern, ok := call.Args[4].(*parser.StringLiteral); ok {
				_, err := labels.NewMatcher(labels.MatchRegexp, "label", pattern.Val)
				fails = fails || err != nil
			}
		}
		return nil
	})
	return fails
}

func judgePrinted(query, meaning, printed string, tally *tally) {
	again, err := parse(printed)
	if err != nil {
		tally.differ("printed, refused by Prometheus", fmt.Sprintf("%q -> %q: %v", query, printed, err))
	} else if again.String() != meaning {
		tally.differ("printed with another meaning", fmt.Sprintf("%q -> %q: %q, not %q", query, printed, again, meaning))
	}
}

var kinds = map[string]string{
	"scalar": "scalar", "vector": "instant vector", "matrix": "range vector", "string": "string",
}

// class is the sentence of an error without its place and what it quotes.
func class(err error) string {
	text := err.Error()
	if _, rest, found := strings.Cut(text, "parse error: "); found {
		text = rest
	}
	for _, sign := range []string{"\"", "'", "<", "`"} {
		text, _, _ = strings.Cut(text, sign)
	}
	return text
}

// before tells whether a release is one or older.
func before(since [2]int, major, minor int) bool {
	return since[0] < major || since[0] == major && since[1] <= minor
}
