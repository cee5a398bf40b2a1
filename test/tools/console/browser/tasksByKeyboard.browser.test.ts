import { doTasks } from './doTasks.ts'
import { keyboard } from './hands.ts'

doTasks('by keyboard alone', keyboard)
