import { subscribe } from 'node:diagnostics_channel'

// Loaded before the command line: kills the process when the nth of its calls is answered, before it reads the answer.
const killAt = Number(process.env['KILL_AT'])
let answered = 0
if (killAt > 0) {
  subscribe('http.client.response.finish', () => {
    answered += 1
    if (answered === killAt) process.kill(process.pid, 'SIGKILL')
  })
}
