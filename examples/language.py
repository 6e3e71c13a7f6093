"""Language: two to four characters in a row tell languages apart, in any script.

Three lines of each are learned. Of four values of alpha, the one here did best on those lines, each
judged by a model that had learned the others.
Run it: python examples/language.py
"""

import nabi

TRAIN = """English: My sister lives in a small house by the river, with two dogs and an old cat.
English: We want to buy bread and milk, but the shop is closed on Sundays. Tomorrow it will snow.
English: Who is that man? He speaks quickly, and I do not understand what he says to you.
German: Meine Schwester wohnt in einem kleinen Haus am Fluss, mit zwei Hunden und einer alten Katze.
German: Wir möchten Brot und Milch kaufen, aber das Geschäft hat sonntags zu. Morgen schneit es.
German: Wer war dieser Mann? Er spricht schnell, und ich verstehe nicht, was er dir sagt.
French: Ma sœur habite une petite maison près de la rivière, avec deux chiens et un vieux chat.
French: Nous voulons acheter du pain et du lait, mais le magasin est fermé. Il va neiger demain.
French: Qui est cet homme ? Il parle vite, et je ne comprends pas ce qu'il nous dit.
Spanish: Mi hermana vive en una casa pequeña junto al río, con dos perros y un gato viejo.
Spanish: Queremos comprar pan y leche, pero los domingos la tienda está cerrada. Mañana va a nevar.
Spanish: ¿Quién es ese hombre? Habla deprisa y no entiendo lo que dice.
Turkish: Kız kardeşim iki köpeği ve yaşlı kedisiyle nehir kenarında küçük bir evde yaşıyor.
Turkish: Ekmek ve süt almak istiyoruz, ama pazar günleri dükkân kapalı. Yarın kar yağacak.
Turkish: O adam kim? Çok hızlı konuşuyor, sana ne söylediğini anlamıyorum.
Greek: Η αδελφή μου μένει σε ένα μικρό σπίτι δίπλα στο ποτάμι, με δύο σκύλους και μια γάτα.
Greek: Θέλουμε να αγοράσουμε ψωμί και γάλα, αλλά το μαγαζί είναι κλειστό. Αύριο θα χιονίσει.
Greek: Ποιος είναι αυτός ο άντρας; Μιλάει γρήγορα και δεν καταλαβαίνω τι σου λέει.
Russian: Моя сестра живёт в маленьком доме у реки, с двумя собаками и старой кошкой.
Russian: Мы хотим купить хлеб и молоко, но в воскресенье магазин закрыт. Завтра будет снег.
Russian: Кто этот человек? Он говорит быстро, и я не понимаю, что он тебе рассказывает.
Ukrainian: Моя сестра живе в маленькому будинку біля річки, з двома собаками і старою кішкою.
Ukrainian: Ми хочемо купити хліб і молоко, але в неділю крамниця зачинена. Завтра буде сніг.
Ukrainian: Хто цей чоловік? Він говорить швидко, і я не розумію, що він тобі розповідає.
Arabic: تعيش أختي في بيت صغير قرب النهر مع كلبين وقطة عجوز.
Arabic: نريد أن نشتري الخبز والحليب، لكن المتجر مغلق يوم الأحد. سوف يتساقط الثلج غدا.
Arabic: من هذا الرجل؟ إنه يتكلم بسرعة ولا أفهم ما يقوله لك.
Hindi: मेरी बहन नदी के पास एक छोटे घर में दो कुत्तों और एक बूढ़ी बिल्ली के साथ रहती है।
Hindi: हम रोटी और दूध खरीदना चाहते हैं, लेकिन रविवार को दुकान बंद रहती है। कल बर्फ गिरेगी।
Hindi: वह आदमी कौन है? वह तेज़ बोलता है और मैं नहीं समझता कि वह तुमसे क्या कह रहा है।
Korean: 제 여동생은 강가의 작은 집에서 개 두 마리와 늙은 고양이와 함께 삽니다.
Korean: 우리는 빵과 우유를 사고 싶지만 일요일에는 가게가 문을 닫습니다. 내일은 눈이 올 것입니다.
Korean: 저 남자는 누구입니까? 말을 빨리 해서 무슨 말을 하는지 알 수 없습니다.
Japanese: 妹は川のそばの小さな家に、犬二匹と年を取った猫と一緒に住んでいます。
Japanese: パンと牛乳を買いたいのですが、日曜日は店が閉まっています。明日は雪が降るでしょう。
Japanese: あの男の人は誰ですか。早口なので、何を言っているのか分かりません。
Chinese: 我妹妹住在河边的小房子里，养了两只狗和一只老猫。
Chinese: 我们想买面包和牛奶，但是星期天商店不开门。明天会下雪。
Chinese: 那个人是谁？他说话很快，我听不懂他在跟你说什么。"""
TEST = """English: The window is open and the room is cold. / When does the film start tonight?
German: Das Fenster steht weit auf, und im Zimmer wird es kalt. / Wann beginnt heute Abend der Film?
French: La fenêtre est ouverte et la pièce est froide. / À quelle heure commence le film ce soir ?
Spanish: La ventana está abierta y tenemos frío. / ¿A qué hora empieza la película esta noche?
Turkish: Pencere açık ve oda soğuk. / Film akşam saat kaçta başlıyor?
Greek: Το παράθυρο είναι ανοιχτό και κάνει κρύο. / Τι ώρα αρχίζει απόψε η ταινία;
Russian: Окно открыто, и в комнате холодно. / Во сколько сегодня начинается фильм?
Ukrainian: Вікно відчинене, і в кімнаті холодно. / О котрій сьогодні починається фільм?
Arabic: النافذة مفتوحة والغرفة باردة. / متى يبدأ الفيلم هذا المساء؟
Hindi: खिड़की खुली है और कमरा ठंडा है। / आज रात फ़िल्म कितने बजे शुरू होगी?
Korean: 창문이 열려 있어서 방이 춥습니다. / 오늘 저녁 영화는 몇 시에 시작합니까?
Japanese: 窓が開いているので部屋が寒いです。 / 今夜の映画は何時に始まりますか。
Chinese: 窗户开着，房间里很冷。 / 今晚的电影几点开始？"""
UNHEARD = "สถานีอยู่ที่ไหน"  # Thai: "where is the station?"


def rows(block: str) -> list[tuple[str, str]]:
    """(sentence, language) of each sentence."""
    lines = [line.split(": ", 1) for line in block.splitlines()]
    return [(text, language) for language, line in lines for text in line.split(" / ")]


def main() -> None:
    model = nabi.TextClassifier(features="chars", alpha=0.03)
    model.fit(*zip(*rows(TRAIN), strict=True))
    print("What tells a language from the others:\n")
    for language in model.classes_:
        print(f"  {language:<10}", " ".join(repr(x.word) for x in model.words(6, label=language)))

    told = model.explain(UNHEARD)
    texts, languages = zip(*rows(TEST), strict=True)
    said, p = model.predict(texts), model.predict_proba(texts).max(axis=1)
    print("\nNew sentences:\n")
    for text, language, s, q in zip(texts, languages, said, p, strict=True):
        print(f"  {s:<10} {q:.2f}  {text}" + ("" if s == language else f"  <- {language}"))
    print(f"\naccuracy {model.score(texts, languages):.2f} (by chance: {1 / len(told.proba):.2f})")
    print(f"\n{UNHEARD} has {len(told.unknown)} unknown features, and {len(told.terms)} known.")
    print(f"So it is sure of nothing: the likeliest language gets {max(told.proba.values()):.2f}.")


if __name__ == "__main__":
    main()
