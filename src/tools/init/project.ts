import type { Examples, Versions } from './examples.ts'
import type { ProjectStyle } from './style.ts'
import { edited, found, type Names, renamed } from './text.ts'

export interface ProjectFile {
  readonly path: string
  /** In one line. */
  readonly what: string
  readonly text: string
}

export interface Addition {
  /** A `shared` one is there already, when it was added before. */
  readonly files: readonly (ProjectFile & { readonly shared?: true })[]
  readonly inserts: readonly Insert[]
}

/** Text for a file that is there. */
export interface Insert {
  readonly path: string
  /** Else at the end of that section. */
  readonly at: 'first' | 'last' | FileSection
  readonly text: string
  /** Without it the project is complete: where it has no place, the file stays as it is. */
  readonly optional?: true
  /** What the file begins with where it is not there yet. */
  readonly base?: string
}

export interface FileSection {
  readonly name: string
  /** Its first line. */
  readonly start: RegExp
  /** The first line after it. */
  readonly end: RegExp
  /** Its keys: none may be there twice. */
  readonly keys: RegExp
}

/** The keys that are inserted into that section. */
export function keysFor(name: string, inserts: readonly Insert[]): string {
  const keys = inserts.flatMap(({ at, text }) =>
    typeof at === 'object' && at.name === name ? (text.match(at.keys) ?? []) : [],
  )
  return keys.join(', ')
}

/** A section of a YAML file. */
export const yaml = (name: string): FileSection => ({
  name,
  start: new RegExp(`^${name}:\\s*$`, 'm'),
  end: /^[^\s#]/m,
  keys: /(?<=^ {2})\w+(?=:)/gm,
})

/** A section of `src/dev.ts`. */
const ofDev = (name: string): FileSection => ({
  name,
  start: new RegExp(`^ {2}${name}: \\{$`, 'm'),
  end: /^ {2}\}/m,
  keys: /(?<=^ {4})[\w'-]+(?=:)/gm,
})

/** What differs between the tools that deploy. */
export interface Tool {
  /** As people call it. */
  readonly title: string
  /** The file that additions are written into. */
  readonly mark: string
  /** What a file of that name must have for that, one each. In another one they would name what is not there. */
  readonly needs: readonly RegExp[]
  /** Files by which a project is known that is deployed with it, `mark` among them. */
  readonly knownBy: readonly string[]
  /** `mark` without a consumer: for a project that has not what additions need. */
  bare(examples: Examples): string
  /** A file as it is in OWN_FOLDER, where it names others in it. Default: the same. */
  moved?(text: string, examples: Examples): string
  /** What to do then with the files in OWN_FOLDER. */
  readonly paste: string
  /** The same, when they have been there before: what is new. */
  pasteMore(inserts: readonly Insert[]): string
  /** Development packages, beside those of every project. */
  readonly packages: readonly string[]
  /** Packages that it wants among the dependencies, not the development packages. */
  readonly inBuild?: readonly string[]
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
  /** What another consumer needs, the flow of `examples/cdk/delivery.ts` and the function of `examples/cdk/refunds.ts`, under this name. */
  readonly add: Readonly<Record<Addable, (examples: Examples, names: Names) => Addition>>
}

/** What `init` writes for a project that is not its own, but for the code. No tool reads it by itself. */
export const OWN_FOLDER = 'lineclear'

export type Addable = 'consumer' | 'flow' | 'function'

interface Code {
  /** What the examples call it. */
  readonly from: 'orders' | 'delivery' | 'refunds'
  readonly what: string
}

const CODE: Readonly<Record<Addable, Code>> = {
  consumer: { from: 'orders', what: 'the handler: put your effects in place of its charge' },
  flow: {
    from: 'delivery',
    what: 'the stages pack and ship, and the answer between them: put your effects in place of its own',
  },
  function: {
    from: 'refunds',
    what: 'a function that runs once for each key: put your effects in place of its own',
  },
}

/** The code of what is in a project. */
export function codeOf(kind: Addable, examples: Examples, names: Names): readonly ProjectFile[] {
  const { from, what } = CODE[kind]
  const named = (text: string): string => renamed(text, names, from)
  return [
    {
      path: `src/${names.kebab}.ts`,
      what,
      text: named(examples[`examples/cdk/${from}.ts`]),
    },
    {
      path: `src/${names.kebab}.test.ts`,
      what: 'its test, in memory',
      text: named(examples[`examples/cdk/${from}.test.ts`]),
    },
  ]
}

const DEV = 'src/dev.ts'

/** Its consumers and samples, so that `npm run dev` starts it. A function is called, and has none. */
export function devInserts(kind: Addable, examples: Examples, names: Names): readonly Insert[] {
  if (kind === 'function') return []
  const text = devText(kind, examples, names)
  return ['consumers', 'samples'].map((name) => {
    const at = ofDev(name)
    const lines = found(text, new RegExp(`(?<=${at.start.source}\n)[^]*?(?=${at.end.source})`, 'm'))
    return { path: DEV, at, text: lines, optional: true }
  })
}

/** `examples/cdk/dev.ts`, with this kind only. */
function devText(kind: 'consumer' | 'flow', examples: Examples, names: Names): string {
  const whole = examples['examples/cdk/dev.ts']
  if (kind === 'consumer')
    return renamed(edited(whole, [OF_FLOW, ''], ['orders:', "'orders':"]), names)
  return renamed(edited(whole, [/^ {4}orders: .*\n/gm, '']), names, 'delivery')
}

const OF_FLOW = /^ {4}(?:pack|booked|ship): .*\n/gm

const PACKAGES = ['lineclear', '@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs', 'zod']
const DEVELOPMENT = ['@types/node', 'esbuild', 'fauxqs', 'typescript', 'vitest']

const RUN = 'npm run dev # on this machine, with a console'

/** What to type when something was added. */
export const NEXT_OF_ADDED: readonly string[] = ['npm test', RUN]

/** The same in a project that init has not written. */
export function nextBeside(
  { inBuild, packages }: Tool,
  { language, runner, assumed }: ProjectStyle,
  { kebab }: Names,
): readonly string[] {
  const bundler = inBuild ?? ['esbuild', ...packages.filter((each) => each.endsWith('-esbuild'))]
  const file = `src/${kebab}.test.${language === 'TypeScript' ? 'ts' : 'js'}`
  return [
    // Without it a package stays among the development packages, if it is there.
    `npm install ${inBuild === undefined ? '' : '--save-prod '}${[...PACKAGES, '@aws-sdk/client-lambda', ...bundler].join(' ')} # while 0.9.0 is unreleased: PATH-OF-ITS-TARBALL in place of lineclear`,
    runner === 'node --test' && assumed.length > 0 ? `node --test ${file}` : 'npm test',
    'lineclear doctor --template PATH # when you have pasted',
  ]
}

export const NEXT: readonly string[] = [
  'npm install && npm test # while 0.9.0 is unreleased: npm install PATH-OF-ITS-TARBALL && npm test',
  RUN,
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
    ...codeOf('consumer', examples, names),
    { path: DEV, what: 'what npm run dev starts', text: devText('consumer', examples, names) },
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
  const { packages, inBuild = [], untested, build, doctor, deploy } = tool
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
    dependencies: exactly([...PACKAGES, '@aws-sdk/client-lambda', ...inBuild]),
    devDependencies: exactly(
      [...DEVELOPMENT, ...packages, ...Object.keys(untested ?? {})].filter(
        (each) => !inBuild.includes(each),
      ),
    ),
  })
}

function readme({ title, asks }: Tool, name: string): string {
  return `# ${name}

A consumer of an SQS queue on AWS Lambda with [Lineclear](node_modules/lineclear/README.md), deployed with ${title}. Next:

\`\`\`sh
${NEXT.join('\n')}
\`\`\`

The handler is \`src/${name}.ts\`. ${asks}
To add to it: \`npx lineclear init consumer NAME\`, \`init flow NAME\`, \`init function NAME\`.
`
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
