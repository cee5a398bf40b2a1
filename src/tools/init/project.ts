import type { Examples, Versions } from './examples.ts'
import { edited, type Names, renamed } from './text.ts'

export interface ProjectFile {
  readonly path: string
  /** In one line. */
  readonly what: string
  readonly text: string
}

/** What is added to a project. */
export interface Addition {
  /** A `shared` one is there already, when it was added before. */
  readonly files: readonly (ProjectFile & { readonly shared?: true })[]
  readonly inserts: readonly Insert[]
}

/** Text for a file that is there. */
export interface Insert {
  readonly path: string
  /** Else at the end of that section of YAML. */
  readonly at: 'first' | 'last' | 'Resources' | 'functions' | 'resources'
  readonly text: string
}

/** What differs between the tools that deploy. */
export interface Tool {
  /** As people call it. */
  readonly title: string
  /** The file by which its projects are known. */
  readonly mark: string
  /** Development packages, beside those of every project. */
  readonly packages: readonly string[]
  /** Those that no test of Lineclear runs, with their versions. */
  readonly untested?: Readonly<Record<string, string>>
  readonly build: string
  /** Runs `lineclear doctor` on what is to be deployed. */
  readonly doctor: string
  readonly deploy: string
  /** Who gets its alarms. A sentence. */
  readonly asks: string
  /** What it leaves behind in the folder. */
  readonly leaves: readonly string[]
  files(examples: Examples, names: Names): readonly ProjectFile[]
  /** What the flow of `examples/cdk/delivery.ts` needs, under this name. */
  flow(examples: Examples, names: Names): Addition
  /** What the function of `examples/cdk/refunds.ts` needs, under this name. */
  function(examples: Examples, names: Names): Addition
}

/** The code of what is added. */
export function codeOf(
  kind: 'flow' | 'function',
  examples: Examples,
  names: Names,
): readonly ProjectFile[] {
  const from = kind === 'flow' ? 'delivery' : 'refunds'
  const what =
    kind === 'flow' ? 'the stages pack and ship' : 'a function that runs once for each key'
  const code = renamed(examples[`examples/cdk/${from}.ts`], names, from)
  const test = renamed(examples[`examples/cdk/${from}.test.ts`], names, from)
  return [
    {
      path: `src/${names.kebab}.ts`,
      what: `${what}: put your effects in place of its own`,
      text: code,
    },
    { path: `src/${names.kebab}.test.ts`, what: 'its test, in memory', text: test },
  ]
}

const PACKAGES = ['lineclear', '@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs', 'zod']
const DEVELOPMENT = ['@types/node', 'esbuild', 'fauxqs', 'typescript', 'vitest']

/** What to type in a new project. */
export const NEXT: readonly string[] = [
  'npm install && npm test # while 0.3.0 is unreleased: npm install PATH-OF-ITS-TARBALL && npm test',
  'npm run dev # on this machine, with a console',
  'npm run build && npm run doctor',
  'npm run deploy',
]

/** The packages of every project, and its code. */
export function projectFiles(
  tool: Tool,
  examples: Examples,
  versions: Versions,
  names: Names,
): ProjectFile[] {
  const name = names.kebab
  return [
    ...tool.files(examples, names),
    {
      path: `src/${name}.ts`,
      what: 'the handler: put your effects in place of its charge',
      text: renamed(examples['examples/cdk/orders.ts'], names),
    },
    {
      path: `src/${name}.test.ts`,
      what: 'its test, in memory',
      text: renamed(examples['examples/cdk/orders.test.ts'], names),
    },
    {
      path: 'src/dev.ts',
      what: 'what npm run dev starts',
      text: renamed(edited(examples['examples/cdk/dev.ts'], ['orders:', "'orders':"]), names),
    },
    { path: 'package.json', what: 'packages and scripts', text: manifest(tool, versions, name) },
    { path: 'tsconfig.json', what: 'for the compiler', text: json(TSCONFIG) },
    { path: 'README.md', what: 'what to type next', text: readme(tool, name) },
    {
      path: '.gitignore',
      what: 'what is not committed',
      text: ['node_modules', '.lineclear', ...tool.leaves, ''].join('\n'),
    },
  ]
}

/** The sweeper, for tools that have none of their own. */
export function sweeper(examples: Examples): ProjectFile {
  return {
    path: 'src/sweeper.ts',
    what: 'ends what was due and is still open, every minute',
    text: examples['examples/deploy/sweeper.ts'],
  }
}

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2024',
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  exclude: ['dist', 'cdk.out'],
}

function manifest(tool: Tool, tested: Versions, name: string): string {
  const { packages, untested, build, doctor, deploy } = tool
  const versions: Versions = { ...tested, ...untested }
  const exactly = (wanted: readonly string[]): object =>
    Object.fromEntries(wanted.toSorted().map((each) => [each, versions[each]]))
  return json({
    name,
    private: true,
    type: 'module',
    scripts: {
      test: 'vitest run',
      types: 'tsc',
      dev: 'lineclear dev src/dev.ts',
      build,
      doctor,
      deploy,
    },
    dependencies: exactly([...PACKAGES, '@aws-sdk/client-lambda']),
    devDependencies: exactly([...DEVELOPMENT, ...packages, ...Object.keys(untested ?? {})]),
  })
}

function readme({ title, asks }: Tool, name: string): string {
  return `# ${name}

A consumer of an SQS queue on AWS Lambda with [Lineclear](node_modules/lineclear/README.md), deployed with ${title}. Next:

\`\`\`sh
${NEXT.join('\n')}
\`\`\`

The handler is \`src/${name}.ts\`. ${asks}
To add to it: \`npx lineclear init flow NAME\`, \`npx lineclear init function NAME\`.
`
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
