export { runWorker, type WorkerOptions } from './runWorker.ts'
