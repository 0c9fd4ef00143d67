// Prints the functions, classes, methods and variables that files of JavaScript and TypeScript define, a name in each line.
// node names.cjs PACKAGE FILE...   PACKAGE is where the npm package typescript is unpacked.
const ts = require(process.argv[2])
const fs = require('node:fs')
const found = new Set()
for (const file of process.argv.slice(3)) {
  const source = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const visit = (node, owner) => {
    let inside = ''
    const name = node.name && (ts.isIdentifier(node.name) || ts.isStringLiteral(node.name)) ? node.name.text : ''
    if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node)) {
      inside = name
      if (name) found.add(name)
      if (name && node.heritageClauses) found.add(`${name}.`)
    } else if (ts.isFunctionLike(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) {
      if (name) found.add(owner ? `${owner}.${name}` : name)
    } else if (name && (ts.isVariableDeclaration(node) || ts.isPropertySignature(node) || ts.isShorthandPropertyAssignment(node))) {
      found.add(name)
    } else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
      const left = node.left
      if (ts.isIdentifier(left)) found.add(left.text)
      if (ts.isPropertyAccessExpression(left)) {
        found.add(left.name.text)
        const of = left.expression
        if (ts.isIdentifier(of)) found.add(`${of.text}.${left.name.text}`)
        if (ts.isPropertyAccessExpression(of) && of.name.text === 'prototype') found.add(`${of.expression.getText()}.${left.name.text}`)
      }
    }
    ts.forEachChild(node, (child) => visit(child, inside))
  }
  visit(source, '')
}
console.log([...found].sort().join('\n'))
