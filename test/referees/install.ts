import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isInstalled, markOf, type Referee, type Step } from './engines.ts'
import { runStep } from './runStep.ts'

/** A build that takes longer hangs. */
const LIMIT_MS = 12 * 60_000

/** Installs it where it is not. @throws Error with what did not work */
export async function install(engine: Referee, tell: (line: string) => void): Promise<void> {
  const { name, version, folder } = engine
  if (isInstalled(engine)) return
  tell(`${name} ${version}: being installed …`)
  const began = Date.now()
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const step of engine.install) await carryOut(engine, step)
  await rm(join(folder, 'target'), { recursive: true, force: true })
  await writeFile(markOf(engine), '')
  tell(`${name} ${version}: installed in ${Math.round((Date.now() - began) / 1_000)} s`)
}

async function carryOut({ name, version, needs }: Referee, step: Step): Promise<void> {
  const { code, said } = await runStep(step, { limit: LIMIT_MS, quiet: true })
  if (code === 0) return
  const how =
    code === undefined ? `was ended after ${LIMIT_MS / 60_000} minutes` : `ended with ${code}`
  throw new Error(
    `${name} ${version} could not be installed: \`${step.command}\` ${how}. It needs ${needs}. The last it said:\n${said}`,
  )
}
