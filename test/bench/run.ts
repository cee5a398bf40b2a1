import { FULL, QUICK } from './effort.ts'
import { judge } from './goals.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { report } from './report.ts'
import { measureAll } from './results.ts'
import { startStub } from './stub/server.ts'

const options = optionsOrExit()
const start = performance.now()
const stub = await startStub()
try {
  const say = (step: string): void => console.error(`${seconds()} s  ${step}`)
  const results = await measureAll(stub, options.quick ? QUICK : FULL, say)
  const goals = judge(results)
  console.error(`${seconds()} s  done`)
  const machine = { node: process.version, at: new Date().toISOString(), seconds: seconds() }
  console.log(
    options.json ? JSON.stringify({ ...machine, ...results, goals }) : report(results, goals),
  )
} finally {
  await stub.stop()
}

function seconds(): number {
  return Math.round((performance.now() - start) / 1_000)
}

function optionsOrExit(): Options {
  try {
    const read = readOptions(process.argv.slice(2))
    if (read !== 'help') return read
    console.log(USAGE)
    process.exit(0)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    process.exit(2)
  }
}
