import type { Language } from '#foundation/web/client/texts.ts'

/*
 * What suggestions advise, by their kind, and by a case of it: `thumbnail_missing_poster`. English is what the service says
 * itself, word for word; a test compares them. A draft of a model that is not here is its own words.
 */

const en = {
  best_time: 'A new episode or a reminder shortly before reaches people when they have time.',
  channel_without_episodes:
    'Learners find this channel in the catalogue and can join it, but there is nothing to watch. Publish an episode, or make the channel a draft until there is one.',
  completion_rate_low:
    'Counted are those who enrolled more than 30 days ago. See where they stop, and whether the whole is too long for what the title promises.',
  content_stale:
    'People still learn here. Check whether what is said still holds, and say in the description when it was last reviewed.',
  description_short:
    'Say what is taught, for whom, and what one can do afterwards: the search and the feed show this text.',
  distractor_unused:
    'An option that nobody takes does not test anything. Replace it by a mistake that learners really make.',
  draft_distractors: 'Instead of “{now}”: {proposed}',
  draft_plain_wording: 'Now: {now}\n\nProposed: {proposed}',
  draft_title: 'Proposed: “{proposed}”',
  enrolled_without_activity:
    'Perhaps they were enrolled by somebody else, or do not find the beginning. A word of welcome with a link to the first episode helps.',
  episode_drop_off:
    'More people end here than anywhere else in the channel. Look at its length, and at what it takes for granted.',
  episode_without_video:
    'The episode stands in the outline, but there is nothing to play and it never reaches the feed. Add its video.',
  grading_backlog:
    'They were handed in more than three days ago. Learners go on better with an early word than with a late grade.',
  homework_overdue: 'Ask what is in the way, or move the date if many are late.',
  homework_overdue_nothing:
    'Ask what is in the way, first those who handed in nothing at all. Move the date if many are late.',
  homework_without_due_date: 'Work without a date tends to be left for later. Set a date, even a soft one.',
  learner_behind:
    'They have seen less than three quarters of the others have. A deadline is at most three days away.',
  learner_failing_test:
    'Offer help before the next attempt: the episode it belongs to, or a talk about the answers.',
  learner_inactive:
    'Write to them, those with the highest risk first: a short personal question brings more people back than a reminder.',
  learner_low_grade: 'Talk about the feedback with them, and let them hand in again where that is possible.',
  learner_never_started:
    'The first step is missing. Point them to the first episode, and say how long it takes.',
  media_insecure_url:
    'Browsers refuse http addresses on pages served by https. Use the https address of the same file.',
  question_duplicate_options: 'Learners cannot tell which of the two is meant. Reword or remove one.',
  question_key_position_bias:
    'Whoever notices need not know the subject. Let the options be shuffled for each attempt, or spread the right answers.',
  question_key_position_bias_shuffled:
    'The options are shuffled for each attempt, so learners do not see it; other readers of the questions do. Spread the right answers.',
  question_low_discrimination:
    'Those who do well on the rest of the test answer it no better than the others. Look for an unclear wording or a second right answer.',
  question_too_easy:
    'Nearly everybody knows it. It may serve as a warm-up; otherwise ask for something one has to have learned.',
  question_too_hard:
    'Check that the key is right, that the wording is clear, and that the episode teaches what is asked.',
  question_wrong_key:
    'Whoever does well on the rest of the test gets this question wrong more often than the others. Check which answer is marked as right; changing the key grades earlier attempts again.',
  retention_drop:
    'Look at this passage: a long pause, a change of subject or a hard step often stands here. Shorten it, or say before it what comes.',
  rewatch_peak:
    'It is either the most useful passage or an unclear one. A chapter that begins here, or a question about it, helps in both cases.',
  test_few_questions: 'One guess decides here. Three to five questions tell more about what was understood.',
  test_without_questions:
    'Learners can open it, and there is nothing to answer. Add questions, or make it a draft until there are some.',
  thumbnail_missing: 'Lists show a grey field instead. Add a picture of the subject.',
  thumbnail_missing_poster:
    'Lists show a grey field instead. The poster of the video can serve as the picture.',
  title_placeholder:
    'The title says nothing about what is taught. Name the subject in a few words that somebody would search for.',
  video_missing_captions:
    'Whoever cannot hear it, or cannot turn the sound on, is left out (WCAG 2.2, 1.2.2). Add a WebVTT file.',
  video_missing_chapters: 'It runs for {minutes} minutes. Chapters let people find a passage again.',
  video_missing_duration:
    'Without it the outline shows no length, and progress rests on what each player reports. Enter the duration.',
  video_missing_transcript: 'A transcript can be read, searched and translated.',
  video_not_trackable:
    'The video plays in the frame of another site. Learners have to mark it as watched themselves; a file or a stream of your own would be followed.',
}
type SuggestionAdvice = keyof typeof en

const de: Record<SuggestionAdvice, string> = {
  best_time: 'Eine neue Folge oder eine Erinnerung kurz davor erreicht die Leute, wenn sie Zeit haben.',
  channel_without_episodes:
    'Lernende finden diesen Kanal in der Übersicht und können ihm beitreten, aber es gibt nichts anzusehen. Veröffentlichen Sie eine Folge, oder machen Sie den Kanal zum Entwurf, bis es eine gibt.',
  completion_rate_low:
    'Gezählt sind alle, die vor mehr als 30 Tagen beigetreten sind. Sehen Sie nach, wo sie aufhören und ob das Ganze zu lang ist für das, was der Titel verspricht.',
  content_stale:
    'Hier wird noch gelernt. Prüfen Sie, ob alles noch stimmt, und schreiben Sie in die Beschreibung, wann der Kanal zuletzt durchgesehen wurde.',
  description_short:
    'Schreiben Sie, was gelehrt wird, für wen und was man danach kann: Die Suche und der Feed zeigen diesen Text.',
  distractor_unused:
    'Eine Antwort, die niemand wählt, prüft nichts. Ersetzen Sie sie durch einen Fehler, den Lernende wirklich machen.',
  draft_distractors: 'Statt „{now}“: {proposed}',
  draft_plain_wording: 'Jetzt: {now}\n\nVorschlag: {proposed}',
  draft_title: 'Vorschlag: „{proposed}“',
  enrolled_without_activity:
    'Vielleicht hat jemand anders sie eingetragen, oder sie finden den Anfang nicht. Ein Willkommensgruß mit einem Link zur ersten Folge hilft.',
  episode_drop_off:
    'Hier hören mehr auf als irgendwo sonst im Kanal. Sehen Sie sich an, wie lang die Folge ist und was sie voraussetzt.',
  episode_without_video:
    'Die Folge steht in der Liste, aber es gibt nichts abzuspielen, und in den Feed kommt sie nie. Fügen Sie ihr Video hinzu.',
  grading_backlog:
    'Abgegeben wurde vor mehr als drei Tagen. Ein frühes Wort hilft Lernenden weiter als eine späte Note.',
  homework_overdue: 'Fragen Sie, was im Weg steht, oder verschieben Sie den Termin, wenn viele zu spät sind.',
  homework_overdue_nothing:
    'Fragen Sie, was im Weg steht, zuerst alle, die gar nichts abgegeben haben. Verschieben Sie den Termin, wenn viele zu spät sind.',
  homework_without_due_date:
    'Arbeiten ohne Termin werden gern aufgeschoben. Setzen Sie einen, auch wenn er nicht streng gilt.',
  learner_behind: 'Drei Viertel der anderen haben mehr gesehen. Eine Frist endet in höchstens drei Tagen.',
  learner_failing_test:
    'Bieten Sie vor dem nächsten Versuch Hilfe an: die Folge, zu der der Test gehört, oder ein Gespräch über die Antworten.',
  learner_inactive:
    'Schreiben Sie ihnen, denen mit dem höchsten Risiko zuerst: Auf eine kurze persönliche Frage kommen mehr zurück als auf eine Mahnung.',
  learner_low_grade:
    'Sprechen Sie mit ihnen über die Rückmeldung, und lassen Sie sie noch einmal abgeben, wo das möglich ist.',
  learner_never_started:
    'Der erste Schritt fehlt. Weisen Sie auf die erste Folge hin, und sagen Sie, wie lange sie dauert.',
  media_insecure_url:
    'Browser laden keine Adressen mit http auf Seiten, die mit https kommen. Nehmen Sie die https-Adresse derselben Datei.',
  question_duplicate_options:
    'Lernende können nicht wissen, welche der beiden gemeint ist. Formulieren Sie eine um, oder entfernen Sie sie.',
  question_key_position_bias:
    'Wer das merkt, muss nichts wissen. Lassen Sie die Antworten für jeden Versuch mischen, oder verteilen Sie die richtigen.',
  question_key_position_bias_shuffled:
    'Die Antworten werden für jeden Versuch gemischt, also sehen Lernende es nicht; wer die Fragen sonst liest, sieht es. Verteilen Sie die richtigen Antworten.',
  question_low_discrimination:
    'Wer im Rest des Tests gut ist, beantwortet sie nicht besser als die anderen. Suchen Sie nach einer unklaren Formulierung oder einer zweiten richtigen Antwort.',
  question_too_easy:
    'Fast alle wissen es. Zum Aufwärmen kann sie taugen; sonst fragen Sie etwas, das man gelernt haben muss.',
  question_too_hard:
    'Prüfen Sie, ob die Lösung stimmt, ob die Frage klar gestellt ist und ob die Folge lehrt, wonach gefragt wird.',
  question_wrong_key:
    'Wer im Rest des Tests gut ist, beantwortet diese Frage öfter falsch als die anderen. Prüfen Sie, welche Antwort als richtig markiert ist; ändern Sie die Lösung, werden frühere Versuche neu bewertet.',
  retention_drop:
    'Sehen Sie sich diese Stelle an: Oft ist es eine lange Pause, ein Themenwechsel oder ein schwieriger Schritt. Kürzen Sie sie, oder sagen Sie vorher, was kommt.',
  rewatch_peak:
    'Sie ist entweder die nützlichste oder unklar. Ein Kapitel, das hier beginnt, oder eine Frage dazu hilft in beiden Fällen.',
  test_few_questions:
    'So entscheidet ein Zufallstreffer. Drei bis fünf Fragen sagen mehr darüber, was verstanden wurde.',
  test_without_questions:
    'Lernende können ihn öffnen, aber es gibt nichts zu beantworten. Fügen Sie Fragen hinzu, oder machen Sie ihn zum Entwurf, bis es welche gibt.',
  thumbnail_missing: 'In Listen steht dort ein graues Feld. Fügen Sie ein Bild zum Thema hinzu.',
  thumbnail_missing_poster:
    'In Listen steht dort ein graues Feld. Das Standbild des Videos kann als Bild dienen.',
  title_placeholder:
    'Der Titel sagt nichts darüber, was gelehrt wird. Nennen Sie das Thema in wenigen Worten, nach denen jemand suchen würde.',
  video_missing_captions:
    'Wer es nicht hört oder den Ton nicht einschalten kann, bleibt außen vor (WCAG 2.2, 1.2.2). Fügen Sie eine WebVTT-Datei hinzu.',
  video_missing_chapters: 'Es dauert {minutes} Minuten. Mit Kapiteln findet man eine Stelle wieder.',
  video_missing_duration:
    'Ohne sie steht in der Liste der Folgen keine Länge, und der Fortschritt beruht auf dem, was jeder Player meldet. Tragen Sie die Länge ein.',
  video_missing_transcript: 'Eine Mitschrift lässt sich lesen, durchsuchen und übersetzen.',
  video_not_trackable:
    'Das Video läuft im Rahmen einer anderen Website. Lernende müssen es selbst als angesehen markieren; bei einer eigenen Datei oder einem eigenen Stream würde mitgezählt.',
}

const es: Record<SuggestionAdvice, string> = {
  best_time: 'Un episodio nuevo o un recordatorio poco antes llega cuando la gente tiene tiempo.',
  channel_without_episodes:
    'Los estudiantes encuentran este canal en el catálogo y pueden unirse, pero no hay nada que ver. Publique un episodio o deje el canal como borrador hasta que haya uno.',
  completion_rate_low:
    'Se cuentan quienes se unieron hace más de 30 días. Mire dónde lo dejan y si el conjunto es demasiado largo para lo que promete el título.',
  content_stale:
    'Aquí todavía se aprende. Compruebe que lo que se dice sigue siendo cierto e indique en la descripción cuándo se revisó por última vez.',
  description_short:
    'Diga qué se enseña, para quién y qué se podrá hacer después: la búsqueda y la fuente muestran este texto.',
  distractor_unused:
    'Una respuesta que nadie elige no comprueba nada. Sustitúyala por un error que se cometa de verdad.',
  draft_distractors: 'En lugar de «{now}»: {proposed}',
  draft_plain_wording: 'Ahora: {now}\n\nPropuesta: {proposed}',
  draft_title: 'Propuesta: «{proposed}»',
  enrolled_without_activity:
    'Quizá las inscribió otra persona o no encuentran el comienzo. Unas palabras de bienvenida con un enlace al primer episodio ayudan.',
  episode_drop_off:
    'Aquí lo dejan más personas que en ningún otro punto del canal. Mire cuánto dura el episodio y qué da por sabido.',
  episode_without_video:
    'El episodio figura en la lista, pero no hay nada que reproducir y nunca llega a la fuente. Añada su vídeo.',
  grading_backlog: 'Se entregó hace más de tres días. Unas palabras a tiempo ayudan más que una nota tardía.',
  homework_overdue: 'Pregunte qué lo impide o cambie la fecha si son muchas.',
  homework_overdue_nothing:
    'Pregunte qué lo impide, primero a quienes no han entregado nada. Cambie la fecha si son muchas.',
  homework_without_due_date:
    'Un trabajo sin fecha suele dejarse para después. Ponga una, aunque sea flexible.',
  learner_behind: 'Tres cuartas partes de los demás han visto más. Un plazo termina en tres días como mucho.',
  learner_failing_test:
    'Ofrezca ayuda antes del próximo intento: el episodio de la prueba o una conversación sobre las respuestas.',
  learner_inactive:
    'Escríbales, primero a quienes tienen más riesgo: una breve pregunta personal hace volver a más gente que un recordatorio.',
  learner_low_grade:
    'Hable con ellas sobre los comentarios y permítales entregar de nuevo donde sea posible.',
  learner_never_started: 'Falta el primer paso. Indíqueles el primer episodio y dígales cuánto dura.',
  media_insecure_url:
    'Los navegadores rechazan direcciones http en páginas servidas con https. Use la dirección https del mismo archivo.',
  question_duplicate_options: 'No se puede saber cuál de las dos se pide. Cambie el texto de una o quítela.',
  question_key_position_bias:
    'Quien lo note no necesita saber la materia. Haga que las respuestas se mezclen en cada intento o reparta las correctas.',
  question_key_position_bias_shuffled:
    'Las respuestas se mezclan en cada intento, así que los estudiantes no lo notan; otras personas que leen las preguntas, sí. Reparta las respuestas correctas.',
  question_low_discrimination:
    'Quienes hacen bien el resto de la prueba no la responden mejor que los demás. Busque un enunciado poco claro o una segunda respuesta correcta.',
  question_too_easy:
    'Casi todos la saben. Puede servir de calentamiento; si no, pregunte algo que haya que haber aprendido.',
  question_too_hard:
    'Compruebe que la solución es correcta, que el enunciado es claro y que el episodio enseña lo que se pregunta.',
  question_wrong_key:
    'Quienes hacen bien el resto de la prueba fallan esta pregunta más que los demás. Compruebe qué respuesta está marcada como correcta; al cambiar la solución se califican de nuevo los intentos anteriores.',
  retention_drop:
    'Mire este pasaje: a menudo hay aquí una pausa larga, un cambio de tema o un paso difícil. Acórtelo o diga antes lo que viene.',
  rewatch_peak:
    'O es el pasaje más útil o no está claro. Un capítulo que empiece aquí, o una pregunta sobre él, ayuda en ambos casos.',
  test_few_questions:
    'Así decide un acierto casual. De tres a cinco preguntas dicen más de lo que se ha entendido.',
  test_without_questions:
    'Se puede abrir, pero no hay nada que responder. Añada preguntas o déjela como borrador hasta que las haya.',
  thumbnail_missing: 'En las listas aparece un recuadro gris. Añada una imagen del tema.',
  thumbnail_missing_poster: 'En las listas aparece un recuadro gris. La imagen fija del vídeo puede servir.',
  title_placeholder:
    'El título no dice nada de lo que se enseña. Nombre el tema con unas pocas palabras que alguien buscaría.',
  video_missing_captions:
    'Quien no puede oírlo o no puede activar el sonido se queda fuera (WCAG 2.2, 1.2.2). Añada un archivo WebVTT.',
  video_missing_chapters: 'Dura {minutes} minutos. Con capítulos es fácil volver a encontrar un pasaje.',
  video_missing_duration:
    'Sin ella la lista no muestra cuánto dura, y el progreso depende de lo que diga cada reproductor. Indique la duración.',
  video_missing_transcript: 'Una transcripción se puede leer, traducir y usar para buscar.',
  video_not_trackable:
    'El vídeo se reproduce en el marco de otro sitio. Los estudiantes tienen que marcarlo como visto; con un archivo o una emisión propios se contaría solo.',
}

export const SUGGESTION_ADVICE_TEXTS: Readonly<Record<Language, Record<SuggestionAdvice, string>>> = {
  en,
  de,
  es,
}
