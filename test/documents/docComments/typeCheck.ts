import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from '../../package/dist/run.ts'
import { entryFiles, type PublicDoc } from './publicDocs.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
/** What an example may use without saying where it comes from. */
const SURROUNDINGS = resolve(import.meta.dirname, 'surroundings.ts')
const WORD = /[A-Za-z_$][\w$]*/g

/** @throws Error with the compiler's complaints: each begins with the public name whose example it is about. */
export async function typeCheck(docs: readonly PublicDoc[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'doc-examples-'))
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configuration()))
    for (const [at, doc] of docs.entries()) {
      for (const [nth, example] of doc.examples.entries()) {
        const file = `${doc.entry.replace('/', '.')}.${doc.name}.${at}.${nth}.ts`
        writeFileSync(join(folder, file), sourceOf(example, doc, docs))
      }
    }
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function configuration(): unknown {
  const paths = Object.entries(entryFiles()).map(([entry, file]) => [entry, [file]] as const)
  return {
    extends: join(ROOT, 'tsconfig.json'),
    include: ['*.ts'],
    compilerOptions: {
      noUnusedLocals: false,
      noUnusedParameters: false,
      noImplicitReturns: false,
      verbatimModuleSyntax: false,
      typeRoots: [join(ROOT, 'node_modules/@types')],
      paths: { surroundings: [SURROUNDINGS], ...Object.fromEntries(paths) },
    },
  }
}

/** The example in a function of its own, below imports of what it mentions and does not import itself. */
function sourceOf(example: string, of: PublicDoc, docs: readonly PublicDoc[]): string {
  const lines = example.split('\n')
  const imports = lines.filter((line) => line.startsWith('import '))
  const body = lines
    .filter((line) => !line.startsWith('import '))
    .map((line) => line.replace(/^export (?:default )?/, ''))
  const known = new Set(imports.join('\n').match(WORD))
  const mentioned = new Set(body.join('\n').match(WORD))
  const origins = originsFor(of, docs)
  const needed = [...origins].filter(([name]) => mentioned.has(name) && !known.has(name))
  return [
    ...imports,
    ...needed.map(([name, { from, as }]) => `import { ${as} as ${name} } from '${from}'`),
    'export async function example() {',
    ...body,
    '}',
    '',
  ].join('\n')
}

interface Origin {
  readonly from: string
  /** Its name there. */
  readonly as: string
}

/** Where each name comes from: the surroundings, else the entry of the example itself, else another one. */
function originsFor(
  { entry, name }: PublicDoc,
  docs: readonly PublicDoc[],
): ReadonlyMap<string, Origin> {
  const exported = docs.filter((doc) => !doc.name.includes('.'))
  const others = exported.filter((doc) => doc.entry !== entry)
  const own = exported.filter((doc) => doc.entry === entry)
  const surrounding = surroundings().map(
    (each) => [each, { from: 'surroundings', as: each }] as const,
  )
  const ctx = CONTEXTS[name.split('.')[0] ?? ''] ?? 'ctx'
  return new Map([
    ...others.toReversed().map((doc) => [doc.name, { from: doc.entry, as: doc.name }] as const),
    ...own.map((doc) => [doc.name, { from: doc.entry, as: doc.name }] as const),
    ...surrounding,
    ['ctx', { from: 'surroundings', as: ctx }],
  ])
}

/** `ctx` is the context that the method belongs to. */
const CONTEXTS: Readonly<Record<string, string>> = {
  FlowContext: 'stageContext',
  CompleteContext: 'answerContext',
  AnswerContext: 'answerContext',
}

function surroundings(): readonly string[] {
  const text = readFileSync(SURROUNDINGS, 'utf8')
  const declared = text.matchAll(
    /^export (?:declare )?(?:const|function|interface|type) (\w+) *[=:<({]/gm,
  )
  const passedOn = text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)
  return [...declared, ...passedOn].flatMap(([, names = '']) => names.match(WORD) ?? [])
}
