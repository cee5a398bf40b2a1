import { DYNOXIDE, isInstalled, MINISTACK, MOTO, type Referee, REFEREES } from './engines.ts'
import { install } from './install.ts'
import { LIMITS } from './limits.ts'
import { runStep } from './runStep.ts'

const USAGE = `npm run referees [-- --install] [NAME]

Runs our tests on engines that we do not develop against, those that are installed:
${REFEREES.map(({ name, version, standsFor }) => `  ${name} ${version}: ${standsFor}`).join('\n')}

  --install   installs first what is missing, into .lineclear/referees
  --only-install   the same, and runs nothing
  --limits    only lists what an engine does otherwise than AWS, and what is done about it`

const CONFIGS = new Map([
  [DYNOXIDE, 'test/referees/dynoxide/vitest.config.ts'],
  [MINISTACK, 'test/referees/ministack/vitest.config.ts'],
  [MOTO, 'test/referees/moto/vitest.config.ts'],
])

/** They take two to three minutes on two cores; what takes longer than this hangs. */
const LIMIT_MS = 10 * 60_000

const OPTIONS = ['--install', '--only-install', '--limits']
const given = process.argv.slice(2)
const names = given.filter((each) => !OPTIONS.includes(each))
const wanted = REFEREES.filter(({ name }) => names.length === 0 || names.includes(name))
if (names.some((each) => !REFEREES.some(({ name }) => name === each))) {
  console.error(USAGE)
  process.exitCode = 2
} else if (given.includes('--limits')) printLimits()
else process.exitCode = (await referee()) ? 0 : 1

/** @returns whether all steps ran, and passed */
async function referee(): Promise<boolean> {
  let passed = true
  for (const engine of wanted) {
    if (given.some((option) => option.endsWith('install'))) {
      try {
        await install(engine, console.log)
      } catch (error) {
        console.error(String(error))
      }
    }
    if (!isInstalled(engine)) {
      explain(engine)
      passed = false
    } else if (!given.includes('--only-install') && !(await runTests(engine))) passed = false
  }
  return passed
}

async function runTests(engine: Referee): Promise<boolean> {
  console.log(`\n${engine.name} ${engine.version} for ${engine.standsFor}:`)
  const args = ['vitest', 'run', '--config', CONFIGS.get(engine) ?? '']
  const { code } = await runStep({ command: 'npx', args }, { limit: LIMIT_MS, quiet: false })
  if (code === undefined) {
    console.error(`${engine.name}: its tests were ended after ${LIMIT_MS / 60_000} minutes.`)
  }
  return code === 0
}

function explain({ name, version, standsFor, needs }: Referee): void {
  console.error(
    `${name} ${version} (${standsFor}) is not installed, and its tests were not run. ` +
      `It needs ${needs}. To install it into .lineclear/referees and run its tests: npm run referees -- --install ${name}`,
  )
}

function printLimits(): void {
  for (const { engine, what, source, instead } of LIMITS) {
    console.log(`${engine}: ${what}.\n    ${instead}\n    ${source}`)
  }
}
