/** The arithmetic of the service, for pages that reckon with grades that are not given yet. */
export { gradeOf, type Mark, ratio } from '../grades/arithmetic.ts'
