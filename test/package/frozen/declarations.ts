import { readFileSync } from 'node:fs'
import { parseSync } from 'rolldown/utils'

/** One declaration file of the package. Its form is fixed: every statement is an import, a declaration, or a list of exports. */
export interface DeclarationFile {
  /** What each name that the file exports is in the file. */
  readonly exported: ReadonlyMap<string, Exported>
  readonly declared: readonly Declared[]
  /** By the name in the file: from where, and under which name there. */
  readonly imported: ReadonlyMap<string, Imported>
}

interface Exported {
  readonly local: string
  readonly isType: boolean
}

export interface Declared {
  readonly name: string
  /** Without comments, `export` and `declare`. */
  readonly text: string
}

interface Imported {
  readonly from: string
  readonly name: string
}

type Tree = ReturnType<typeof parseSync>
type Statement = Tree['program']['body'][number]
type Of<Type extends Statement['type']> = Extract<Statement, { type: Type }>

export function readDeclarations(path: string): DeclarationFile {
  const source = readFileSync(path, 'utf8')
  const tree = parseSync(path, source, { lang: 'dts' })
  if (tree.errors.length > 0) throw new Error(`${path}: ${tree.errors[0]?.message}`)
  const exported = new Map<string, Exported>()
  const imported = new Map<string, Imported>()
  const declared: Declared[] = []
  const declare = (statement: Statement, begin: number): string => {
    const name = nameOf(statement, path)
    declared.push({ name, text: withoutComments(source, tree, begin, statement.end) })
    return name
  }
  for (const statement of tree.program.body) {
    if (statement.type === 'ImportDeclaration') addImports(statement, imported)
    else if (statement.type !== 'ExportNamedDeclaration') declare(statement, statement.start)
    else if (statement.declaration === null) addList(statement, exported)
    else {
      const { declaration } = statement
      const local = declare(declaration, declaration.start)
      exported.set(local, { local, isType: TYPES.has(declaration.type) })
    }
  }
  return { exported, declared, imported }
}

const TYPES: ReadonlySet<string> = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration'])

function addImports(statement: Of<'ImportDeclaration'>, imported: Map<string, Imported>): void {
  for (const specifier of statement.specifiers) {
    const name = specifier.type === 'ImportSpecifier' ? textOf(specifier.imported) : '*'
    imported.set(specifier.local.name, { from: statement.source.value, name })
  }
}

function addList(statement: Of<'ExportNamedDeclaration'>, exported: Map<string, Exported>): void {
  for (const { local, exported: as, exportKind } of statement.specifiers) {
    const isType = exportKind === 'type' || statement.exportKind === 'type'
    exported.set(textOf(as), { local: textOf(local), isType })
  }
}

function textOf(name: { readonly name: string } | { readonly value: string }): string {
  return 'name' in name ? name.name : name.value
}

function nameOf(statement: Statement, path: string): string {
  if (statement.type === 'VariableDeclaration') {
    const [one] = statement.declarations
    if (one?.id.type === 'Identifier') return one.id.name
  } else if ('id' in statement && statement.id?.type === 'Identifier') return statement.id.name
  throw new Error(`${path}: a ${statement.type} has no name`)
}

function withoutComments(source: string, { comments }: Tree, begin: number, end: number): string {
  let text = ''
  let at = begin
  for (const comment of comments) {
    if (comment.start < begin || comment.end > end) continue
    text += source.slice(at, comment.start)
    at = comment.end
  }
  const lines = (text + source.slice(at, end)).split('\n').filter((line) => line.trim() !== '')
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^declare /, '')
}
