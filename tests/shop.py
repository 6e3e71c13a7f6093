"""Messages to a shop, of three classes, in English and Korean: what pictures of the page show."""

THINGS = {
    "en": [
        *("lamp", "kettle", "bicycle", "jacket", "printer", "tent", "watch", "speaker"),
        *("camera", "mirror", "drill", "blanket", "sofa", "router", "fan", "desk"),
        *("scale", "toaster", "helmet", "rug", "heater", "vase", "keyboard", "pillow"),
    ],
    "ko": [
        *("램프", "주전자", "자전거", "재킷", "프린터", "텐트", "시계", "스피커"),
        *("카메라", "거울", "드릴", "담요", "소파", "공유기", "선풍기", "책상"),
        *("저울", "토스터", "헬멧", "양탄자", "난로", "꽃병", "키보드", "베개"),
    ],
}
MESSAGES = {
    "en": {
        "complaint": [
            "The {} arrived broken, and nobody answers the phone.",
            "I waited three weeks for the {} and want my money back.",
            "The {} stopped working after two days. Very disappointed.",
            "Again the wrong {} was delivered. Please send somebody to collect it.",
        ],
        "praise": [
            "The {} is wonderful, thank you so much!",
            "Fast delivery, and the {} works perfectly.",
            "I love the new {}, it is better than expected.",
            "Friendly service: the {} was repaired for free.",
        ],
        "question": [
            "When will the {} be back in stock?",
            "Does the {} also fit the older model?",
            "Can I return the {} without the box?",
            "How do I change the address for the {} that I ordered?",
        ],
    },
    "ko": {
        "불만": [
            "{} 상품이 깨져서 왔는데 전화를 아무도 받지 않습니다.",
            "{} 배송을 3주나 기다렸습니다. 환불해 주세요.",
            "{} 상품이 이틀 만에 고장 났어요. 정말 실망입니다.",
            "또 잘못된 {} 상품이 왔습니다. 다시 가져가 주세요.",
        ],
        "칭찬": [
            "{} 정말 마음에 들어요. 감사합니다!",
            "배송도 빠르고 {} 성능도 완벽해요.",
            "새 {} 기대보다 훨씬 좋네요.",
            "친절하게 {} 무료로 고쳐 주셔서 고맙습니다.",
        ],
        "문의": [
            "{} 언제 다시 들어오나요?",
            "{} 예전 모델에도 맞을까요?",
            "{} 상자 없이도 반품할 수 있나요?",
            "주문한 {} 배송 주소를 어떻게 바꾸나요?",
        ],
    },
}
TRIED = {
    "en": "Thank you for the fast delivery, but the printer stopped working after a week.",
    "ko": "배송도 빠르고 감사한데 프린터 상품이 일주일 만에 고장 났어요.",
}


def labelled(language):
    """[(text, class)] in an order that mixes the classes."""
    sets = MESSAGES[language]
    return [
        (sentence.format(thing), name)
        for i, thing in enumerate(THINGS[language])
        for k in range(4)
        for name, sentences in sets.items()
        for sentence in [sentences[(i + k) % 4]]
    ]
