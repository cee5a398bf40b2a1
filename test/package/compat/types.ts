import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../dist/run.ts'
import { isWhole } from '../../proof/depth.ts'
import { check } from './check.ts'
import { COMPILER_FILES } from './tools.ts'

type Options = Readonly<Record<string, unknown>>

const ES_MODULES: readonly Options[] = [
  { module: 'NodeNext', moduleResolution: 'NodeNext' },
  { module: 'Node16', moduleResolution: 'Node16' },
  { module: 'ESNext', moduleResolution: 'Bundler' },
]

/** The last is the older way without `exports`, which no compiler has after 6. */
const COMMONJS: readonly Options[] = [
  { module: 'NodeNext', moduleResolution: 'NodeNext' },
  { module: 'Node16', moduleResolution: 'Node16' },
  // As zod asks for there.
  { module: 'CommonJS', moduleResolution: 'node10', esModuleInterop: true },
]

/** As in our own tsconfig: `@ts-expect-error` counts on them. */
const OUR_OWN = { exactOptionalPropertyTypes: true, target: 'ES2023', skipLibCheck: true }

/** As a library or a project with references is compiled. */
const DECLARED = {
  declaration: true,
  emitDeclarationOnly: true,
  noEmit: false,
  outDir: 'declared',
  skipLibCheck: true,
}

/** With LINECLEAR_PROOF=whole, each night: both settings, and the compilers between the oldest and the newest. */
const OPTIONAL = isWhole ? [true, false] : [true]
const COMPILERS = Object.keys(COMPILER_FILES)

/** Each compiler, each way to resolve modules, in ES modules and in CommonJS. @param commonJs a folder of the project */
export async function checkTypes(project: string, commonJs: string): Promise<void> {
  for (const compiler of isWhole ? COMPILERS : [COMPILERS[0] ?? '', COMPILERS.at(-1) ?? '']) {
    for (const resolution of ES_MODULES) {
      for (const exactOptionalPropertyTypes of OPTIONAL) {
        const optional = `${exactOptionalPropertyTypes ? 'exact' : 'loose'} optional properties`
        await check(`${compiler} ${String(resolution['moduleResolution'])} ${optional}`, () =>
          compile(project, compiler, 'consumer.ts', { ...resolution, exactOptionalPropertyTypes }),
        )
      }
    }
    await check(`${compiler} refuses what test/types says does not compile`, () =>
      compile(project, compiler, 'wrong/*.ts', { ...ES_MODULES[0], ...OUR_OWN }),
    )
    await check(`${compiler} names the type of all that a consumer exports`, () =>
      compile(project, compiler, 'declared.ts', { ...ES_MODULES[0], ...DECLARED }),
    )
    for (const resolution of COMMONJS.filter((each) => knows(compiler, each))) {
      await check(`${compiler} ${String(resolution['moduleResolution'])} in CommonJS`, () =>
        compile(commonJs, compiler, 'consumer.ts', { ...resolution, ...silenced(compiler) }),
      )
    }
  }
}

function knows(compiler: string, { moduleResolution }: Options): boolean {
  return compiler !== 'ts70' || moduleResolution !== 'node10'
}

/** Version 6 warns of what version 7 does not know any more. */
function silenced(compiler: string): Options {
  return compiler === 'ts60' ? { ignoreDeprecations: '6.0' } : {}
}

async function compile(
  directory: string,
  compiler: string,
  file: string,
  options: Options,
): Promise<void> {
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023', 'ESNext.Disposable'],
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    ...options,
  }
  const config = JSON.stringify({ compilerOptions, include: [file] })
  await writeFile(join(directory, 'tsconfig.json'), config)
  await run(process.execPath, [COMPILER_FILES[compiler] ?? '', '-p', '.'], directory)
}
