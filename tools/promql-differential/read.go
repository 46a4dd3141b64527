package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// read gives back the queries of files, each once.
func read(paths []string) ([]string, error) {
	var found []string
	for _, path := range paths {
		err := filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			found = append(found, queriesOf(filepath.Ext(path), text)...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	unique := found[:0]
	for _, query := range found {
		if query = filled(query); !seen[query] {
			seen[query] = true
			unique = append(unique, query)
		}
	}
	return unique, nil
}

func queriesOf(kind string, text []byte) (found []string) {
	switch kind {
	case ".json":
		var value any
		if json.Unmarshal(text, &value) == nil {
			found = in(value, found)
		}
	case ".yaml", ".yml":
		for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
			var value any
			if decoder.Decode(&value) != nil {
				break
			}
			found = in(value, found)
		}
	case ".txt":
		for line := range strings.Lines(string(text)) {
			if query, wanted := strings.CutPrefix(strings.TrimRight(line, "\n"), "+ "); wanted {
				found = append(found, query)
			} else if query, wanted := strings.CutPrefix(strings.TrimRight(line, "\n"), "- "); wanted {
				found = append(found, query)
			}
		}
	}
	return found
}

// in adds each `expr` and `query` of a document.
func in(value any, found []string) []string {
	switch value := value.(type) {
	case map[string]any:
		for key, value := range value {
			if text, ok := value.(string); ok && (key == "expr" || key == "query") {
				found = append(found, text)
			} else {
				found = in(value, found)
			}
		}
	case []any:
		for _, value := range value {
			found = in(value, found)
		}
	}
	return found
}

var durations = regexp.MustCompile(`([\[:])\$\{?\w+\}?`)
var variables = regexp.MustCompile(`\$\{?\w+(:\w+)?\}?`)

// filled puts something into a dashboard's variables.
func filled(query string) string {
	return variables.ReplaceAllString(durations.ReplaceAllString(query, "${1}5m"), "x")
}
