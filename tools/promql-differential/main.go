// Compares the PromQL parser with Prometheus's own, on the queries of files and on mutants of them.
//
//	promql-differential -verdict PROGRAM [-mutants N] [-seed N] [-show N] FILE|FOLDER...
//
// PROGRAM is examples/promql_verdict. Both must accept and refuse the same queries and give them the same types, and
// what slosmith prints must mean to Prometheus what the query meant. Ends with 1 where they differ.
package main

import (
	"flag"
	"fmt"
	"os"
	"sort"
)

func main() {
	verdict := flag.String("verdict", "", "the program that gives slosmith's verdicts")
	mutants := flag.Int("mutants", 10_000, "mutants beside the queries themselves")
	seed := flag.Uint64("seed", 1, "where the mutants begin")
	show := flag.Int("show", 10, "differences shown of each class")
	flag.Parse()
	if err := run(*verdict, flag.Args(), *mutants, *seed, *show); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func run(verdict string, paths []string, mutants int, seed uint64, show int) error {
	queries, err := read(paths)
	if err != nil {
		return err
	}
	if len(queries) == 0 {
		return fmt.Errorf("no queries in %q", paths)
	}
	tally := tally{classes: map[string][]string{}}
	if err := compare(verdict, mutate(queries, mutants, seed), &tally); err != nil {
		return err
	}
	fmt.Printf("%s: %d queries of files, %d mutants; accepted by both %d, refused by both %d, different %d\n",
		version, len(queries), mutants, tally.accepted, tally.refused, tally.different)
	tally.print(show)
	if tally.different > 0 {
		os.Exit(1)
	}
	return nil
}

// tally counts verdicts, and keeps the shortest queries of each kind of difference.
type tally struct {
	accepted, refused, different int
	classes                      map[string][]string
}

func (t *tally) differ(class, detail string) {
	t.different++
	t.classes[class] = append(t.classes[class], detail)
}

func (t *tally) print(show int) {
	names := []string{}
	for name := range t.classes {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		found := t.classes[name]
		sort.Slice(found, func(i, j int) bool { return len(found[i]) < len(found[j]) })
		fmt.Printf("%s: %d\n", name, len(found))
		for _, detail := range found[:min(show, len(found))] {
			fmt.Printf("    %s\n", detail)
		}
	}
}
