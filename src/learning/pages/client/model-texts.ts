import type { Language } from '#foundation/web/client/texts.ts'

/** Why a language model did not help: the English text is the service's own, word for word. A test compares them. */
const en = {
  time_used_up: 'The time for the model was used up',
  too_slow: 'The model server did not answer in time',
  unreachable: 'The model server could not be reached',
  wrong_status: 'The model server answered with status {status}',
  cut_off: 'The answer of the model was too long or cut off',
  wrong_form: 'The answer of the model did not have the form that was asked for',
  no_completion: 'The model server did not answer as chat completions do',
  unusable: 'The answer of the model could not be used',
  left_alone: 'The model server failed {times} times in a row, it is asked again in {minutes} min',
  unprepared: 'The drafts of the model could not be prepared',
}
type ModelText = keyof typeof en

const de: Record<ModelText, string> = {
  time_used_up: 'Die Zeit für das Modell war aufgebraucht',
  too_slow: 'Der Server des Modells hat nicht rechtzeitig geantwortet',
  unreachable: 'Der Server des Modells war nicht erreichbar',
  wrong_status: 'Der Server des Modells hat mit Status {status} geantwortet',
  cut_off: 'Die Antwort des Modells war zu lang oder abgeschnitten',
  wrong_form: 'Die Antwort des Modells hatte nicht die verlangte Form',
  no_completion: 'Der Server des Modells antwortet nicht nach „chat completions“',
  unusable: 'Die Antwort des Modells war nicht zu gebrauchen',
  left_alone:
    'Der Server des Modells hat {times}-mal hintereinander versagt und wird in {minutes} min wieder gefragt',
  unprepared: 'Die Entwürfe des Modells ließen sich nicht vorbereiten',
}

const es: Record<ModelText, string> = {
  time_used_up: 'El tiempo para el modelo se agotó',
  too_slow: 'El servidor del modelo no respondió a tiempo',
  unreachable: 'No se pudo acceder al servidor del modelo',
  wrong_status: 'El servidor del modelo respondió con el estado {status}',
  cut_off: 'La respuesta del modelo era demasiado larga o estaba cortada',
  wrong_form: 'La respuesta del modelo no tenía la forma pedida',
  no_completion: 'El servidor del modelo no responde como «chat completions»',
  unusable: 'La respuesta del modelo no se pudo usar',
  left_alone:
    'El servidor del modelo ha fallado {times} veces seguidas; se le preguntará de nuevo en {minutes} min',
  unprepared: 'No se pudieron preparar los borradores del modelo',
}

export const MODEL_TEXTS: Readonly<Record<Language, Record<ModelText, string>>> = { en, de, es }
