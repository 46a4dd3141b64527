// Reads YAML as Kubernetes and Go programs do, and compares with what another reader saw.
//
//	python3 -c '…' | yaml-check
//
// Each line of standard input is {"path": …, "documents": […]}; a file that gives something else is named, and ends with 1.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	goyaml "sigs.k8s.io/yaml/goyaml.v3"
)

type seen struct {
	Path      string `json:"path"`
	Documents []any  `json:"documents"`
}

func read(path string) ([]any, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var found []any
	for decoder := goyaml.NewDecoder(bytes.NewReader(file)); ; {
		var node goyaml.Node
		if err := decoder.Decode(&node); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		found = append(found, texts(&node))
	}
}

// Scalars as their text: how a number is taken is another question.
func texts(node *goyaml.Node) any {
	switch node.Kind {
	case goyaml.DocumentNode:
		return texts(node.Content[0])
	case goyaml.MappingNode:
		found := map[string]any{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			found[node.Content[i].Value] = texts(node.Content[i+1])
		}
		return found
	case goyaml.SequenceNode:
		found := []any{}
		for _, item := range node.Content {
			found = append(found, texts(item))
		}
		return found
	case goyaml.AliasNode:
		return texts(node.Alias)
	default:
		return node.Value
	}
}

func main() {
	wrong, files := 0, 0
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			break
		}
		var other seen
		if err := json.Unmarshal(line, &other); err != nil {
			fmt.Println(err)
			os.Exit(2)
		}
		found, err := read(other.Path)
		if err != nil || !reflect.DeepEqual(found, other.Documents) {
			fmt.Printf("%s: Go reads it otherwise: %v\n", other.Path, err)
			wrong++
		}
		files++
	}
	fmt.Printf("%d files, %d read otherwise\n", files, wrong)
	if wrong > 0 {
		os.Exit(1)
	}
}
