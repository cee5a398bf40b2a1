/** How a project writes its code and its tests. */
export interface ProjectStyle {
  readonly language: 'TypeScript' | 'JavaScript'
  /** How what runs takes a module, once types are gone. */
  readonly modules: 'import' | 'require'
  readonly runner: 'vitest' | 'jest' | 'node --test'
  /** How an import ends that names a file beside it. */
  readonly ending: '.ts' | '.js' | ''
  /** What the project does not say, or what init does not write, and what was taken instead. A sentence each. */
  readonly assumed: readonly string[]
}

/** What was read in a folder. */
export interface Signs {
  /** `package.json`, as text; undefined: there is none. */
  readonly manifest: string | undefined
  /** `tsconfig.json`, as text. */
  readonly tsconfig: string | undefined
  /** Names of its files, without folders. */
  readonly names: readonly string[]
  /** Its files of JavaScript, as text. */
  readonly scripts: readonly string[]
}

interface Manifest {
  readonly type?: unknown
  readonly scripts?: Readonly<Record<string, unknown>>
  readonly dependencies?: object
  readonly devDependencies?: object
}

/** Each thing is known, known to be otherwise, or not known: then it is taken as what needs least, and said. */
export function styleOf(signs: Signs): ProjectStyle {
  const manifest = parsed(signs.manifest)
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  const language = languageOf(signs, packages)
  const { runner, assumed } = runnerOf(manifest, packages)
  const esModules = manifest.type === 'module'
  const written = language ?? 'TypeScript'
  // vitest makes modules of all files. Where the others read `import` in a file that is none, something of the project's does.
  const imports = runner === 'vitest' || importsIn(signs.scripts)
  return {
    language: written,
    modules: esModules || (written === 'JavaScript' && imports) ? 'import' : 'require',
    runner,
    ending: endingOf({ language: written, runner, esModules, signs }),
    assumed: [...(language === undefined ? [NO_LANGUAGE] : []), ...assumed],
  }
}

const NO_LANGUAGE = 'nothing here says in which language its code is: it is written in TypeScript'

function languageOf(
  { manifest, tsconfig, names }: Signs,
  packages: readonly string[],
): ProjectStyle['language'] | undefined {
  const typed =
    tsconfig !== undefined ||
    packages.some((name) => ['typescript', 'tsx', 'ts-node', 'ts-jest'].includes(name)) ||
    names.some((name) => /(?<!\.d)\.[cm]?ts$/.test(name))
  if (typed) return 'TypeScript'
  const plain = manifest !== undefined || names.some((name) => /\.[cm]?js$/.test(name))
  return plain ? 'JavaScript' : undefined
}

const RUNNERS = {
  vitest: /\bvitest\b/,
  jest: /\bjest\b/,
  'node --test': /\bnode\b.*--test\b/,
} as const
const OTHERS = ['mocha', 'ava', 'jasmine', 'tap', 'uvu', 'bun', 'deno']

function runnerOf(
  manifest: Manifest,
  packages: readonly string[],
): Pick<ProjectStyle, 'runner' | 'assumed'> {
  const test = manifest.scripts?.['test']
  const script = typeof test === 'string' ? test : ''
  const all = ['vitest', 'jest', 'node --test'] as const
  const typed = all.filter((name) => RUNNERS[name].test(script))
  const found = typed.length > 0 ? typed : all.filter((name) => packages.includes(name))
  const [runner] = found
  if (runner !== undefined && found.length === 1) return { runner, assumed: [] }
  const other = OTHERS.find(
    (name) => packages.includes(name) || new RegExp(`\\b${name}\\b`).test(script),
  )
  const because =
    found.length > 1
      ? `package.json names ${found.join(' and ')}`
      : other === undefined
        ? `package.json names no runner of tests that init writes for (${all.join(', ')})`
        : `init writes no tests for ${other}`
  return {
    runner: 'node --test',
    assumed: [`${because}: the test runs with node --test. Paste what it does into one of yours`],
  }
}

function importsIn(scripts: readonly string[]): boolean {
  return scripts.some((text) => /^(?:import|export)\b/m.test(text))
}

interface Ending {
  readonly language: ProjectStyle['language']
  readonly runner: ProjectStyle['runner']
  readonly esModules: boolean
  readonly signs: Signs
}

function endingOf({ language, runner, esModules, signs }: Ending): ProjectStyle['ending'] {
  if (language === 'JavaScript') return '.js'
  const allowed = /"(?:allowImportingTsExtensions|rewriteRelativeImportExtensions)":\s*true/
  // Node resolves nothing else. Without a configuration nothing forbids it.
  if (runner === 'node --test' || signs.tsconfig === undefined) return '.ts'
  if (allowed.test(signs.tsconfig)) return '.ts'
  // Node's rules want one in `import()`, also of a CommonJS module; `extends` may set them.
  const byNode = /"module(?:Resolution)?":\s*"node(?:next|\d\d)"|"extends":/i
  return esModules || (runner === 'vitest' && byNode.test(signs.tsconfig)) ? '.js' : ''
}

function parsed(manifest: string | undefined): Manifest {
  try {
    const value: unknown = JSON.parse(manifest ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
