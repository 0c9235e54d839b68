<?php

// Runs the conformance suite through opis/json-schema and prints one JSON array: for each case, in
// the order of the files by path, `{file, group, description, valid}`.
//
//     php opis_suite.php AUTOLOAD SCHEMA_FOLDER SUITE_FOLDER

declare(strict_types=1);

use Opis\JsonSchema\Validator;

const NAMES = ['dataset', 'rubric', 'judge', 'target'];

[, $autoload, $schemaFolder, $suiteFolder] = $argv;
require $autoload;

// Objects and not arrays: `{}` and `[]` are different values.
function read(string $path): mixed
{
    return json_decode((string) file_get_contents($path), false, 512, JSON_THROW_ON_ERROR);
}

$validator = new Validator();
$ids = [];
foreach (NAMES as $name) {
    $schema = read("$schemaFolder/$name.schema.json");
    $ids[$name] = $schema->{'$id'};
    $validator->resolver()->registerRaw($schema);
}

$verdicts = [];
foreach (NAMES as $folder) {
    $files = glob("$suiteFolder/$folder/*.json");
    sort($files);
    foreach ($files as $file) {
        foreach (read($file) as $group) {
            foreach ($group->tests as $test) {
                $verdicts[] = [
                    'file' => $folder . '/' . basename($file),
                    'group' => $group->description,
                    'description' => $test->description,
                    'valid' => $validator->validate($test->data, $ids[$group->schema])->isValid(),
                ];
            }
        }
    }
}
echo json_encode($verdicts, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE), "\n";
