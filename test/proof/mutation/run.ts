import { parseArgs } from 'node:util'
import { judge, type RoomReport } from './judge.ts'
import { mutate } from './mutate.ts'
import { complaintsOf, tableOf } from './report.ts'
import { ROOMS } from './rooms.ts'

/** `npm run mutation`, or of some rooms: `npm run mutation -- stage lock --concurrency 1`. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '2' } },
})
const chosen = positionals.length === 0 ? ROOMS.map(({ name }) => name) : positionals
const unknown = chosen.filter((name) => !ROOMS.some((room) => room.name === name))
if (unknown.length > 0) throw new Error(`no such room: ${unknown.join(', ')}`)

const reports: RoomReport[] = []
for (const room of ROOMS.filter(({ name }) => chosen.includes(name))) {
  // One after another: two would share the machine, and run into each other's time limits.
  const tested = await mutate(room, Number(values.concurrency))
  reports.push(judge(room.name, tested))
}
const complaints = reports.flatMap(complaintsOf)
console.log([...complaints, tableOf(reports)].join('\n'))
process.exitCode = complaints.length > 0 ? 1 : 0
