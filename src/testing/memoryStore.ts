export { memoryStore, type MemoryStore } from '../store/memory/memoryStore.ts'
