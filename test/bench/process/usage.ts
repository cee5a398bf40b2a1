import { writeSync } from 'node:fs'
import { resourceUsage } from 'node:process'

/** Imported before a command: at its end what it took is written to file descriptor 3. */
const began = performance.now()
process.once('exit', () => {
  const seconds = (performance.now() - began) / 1_000
  writeSync(3, JSON.stringify({ seconds, peakRss: resourceUsage().maxRSS * 1_024 }))
})
