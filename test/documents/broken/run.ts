import { startBrokenShop } from './brokenShop.ts'
import { type Answer, doTask } from './doTasks.ts'
import { writeQuoted } from './practice.ts'
import { TASKS } from './tasks.ts'
import { transcriptOf } from './transcript.ts'

/** `npm run practice`: does the tasks, and quotes what the commands print. */
await using shop = await startBrokenShop()
const answers: (readonly Answer[])[] = []
for (const task of TASKS) answers.push(await doTask(shop, task))
writeQuoted(transcriptOf(answers))
