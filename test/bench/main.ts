import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { FULL, QUICK } from './effort.ts'
import { GOALS } from './goals.ts'
import { judge, tableOfGoals } from './judge.ts'
import type { Bench, Measured, Table } from './measured.ts'
import { readOptions } from './options.ts'
import { PARTS } from './parts.ts'
import { asMarkdown, asText } from './report.ts'
import { selfSigned } from './database/certificate.ts'
import { startDatabase } from './database/startDatabase.ts'

const options = readOptions(process.argv.slice(2), names())
if (options === 'help') process.exit(0)
const { only, quick, check, format } = options
const isChosen = (name: string): boolean => only.length === 0 || only.includes(name)
const parts = PARTS.filter(({ name }) => isChosen(name))
const start = performance.now()
const busy = loadavg()[0] ?? 0

const directory = await mkdtemp(join(tmpdir(), 'lineclear-bench-'))
try {
  const measured = await measureAll()
  const figures = Object.assign({}, ...measured.map((each) => each.figures)) as Measured['figures']
  const judged = judge(
    GOALS.filter(({ part }) => isChosen(part)),
    figures,
  )
  const tables = measured.flatMap((each) => each.tables)
  const goals = tableOfGoals(judged)
  if (format === 'json') console.log(JSON.stringify({ machine: machine(), tables, goals: judged }))
  else {
    console.log([machine(), ...shown(tables, goals)].join('\n\n'))
  }
  if (check && judged.some(({ met }) => !met)) process.exitCode = 1
} finally {
  await rm(directory, { recursive: true })
}

/** Goals come first in a document, and last in a terminal, where the end stays in sight. */
function shown(tables: readonly Table[], goals: Table): readonly string[] {
  if (format === 'markdown') return [goals, ...tables].map(asMarkdown)
  return [...tables, goals].map(asText)
}

function failed(name: string, error: unknown): Measured {
  console.error(`${name} was not measured:`, error)
  process.exitCode = 1
  return { tables: [], figures: {} }
}

/** One after the other: nothing that is measured shares the machine with another measurement. */
async function measureAll(): Promise<readonly Measured[]> {
  const certificate = selfSigned(Date.now())
  const trusted = join(directory, 'ca.pem')
  await writeFile(trusted, certificate.cert)
  const database = await startDatabase({ certificate, trusted })
  const bench: Bench = { database, effort: quick ? QUICK : FULL, directory }
  const measured: Measured[] = []
  for (const part of parts) {
    console.error(`${seconds()} s  ${part.name}: ${part.title}`)
    database.reset()
    // Else minutes of the parts before would be lost with it.
    measured.push(await part.measure(bench).catch((error: unknown) => failed(part.name, error)))
  }
  console.error(`${seconds()} s  done`)
  await database.stop()
  return measured
}

function machine(): string {
  const model = cpus()[0]?.model ?? 'unknown CPU'
  const day = new Date().toISOString().slice(0, 10)
  const effort = quick ? 'quick run' : 'full run'
  return (
    `${day}, ${availableParallelism()} × ${model}, Node ${process.versions.node}, ${effort} of ${seconds()} s; ` +
    `load before it: ${busy.toFixed(1)} (above 0.5 other work ran beside it)`
  )
}

function seconds(): number {
  return Math.round((performance.now() - start) / 1_000)
}

function names(): readonly string[] {
  return PARTS.map(({ name }) => name)
}
